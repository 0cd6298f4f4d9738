// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import "../src/Counter.sol";

interface VmEnv {
    function envAddress(string calldata name) external view returns (address);
}

/// @dev Uses a counter of the chain that is forked.
contract DeployedTest {
    VmEnv private constant vm = VmEnv(address(uint160(uint256(keccak256("hevm cheat code")))));

    function test_increase() external {
        Counter counter = Counter(vm.envAddress("COUNTER"));
        counter.increase();
        require(counter.count() == 1, "not counted");
    }
}
