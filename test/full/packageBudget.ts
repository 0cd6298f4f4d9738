/** The most bytes that the package may have: as npm sends it, and as it lies in node_modules. */
export const PACKAGE_BUDGET = { packed: 2_000_000, unpacked: 6_000_000 }
