// SPDX-License-Identifier: MIT
pragma solidity ^0.8.15;

/// What the predeploy 0x4200…0030 of Base delegates to: the time of the present block in
/// milliseconds, with the interface and the storage of Base's BaseTime, written anew.
contract BaseTime {
    address private constant DEPOSITOR = 0xDeaDDEaDDeAdDeAdDEAdDEaddeAddEAdDEAd0001;

    error BaseTime_NotDepositor();
    error BaseTime_InvalidTimestampMillisPart();

    uint16 public timestampMillisPart;

    function version() external pure returns (string memory) {
        return "1.0.0";
    }

    function timestampMs() external view returns (uint64) {
        return uint64(block.timestamp * 1000 + timestampMillisPart);
    }

    function setTimestampMillisPart(uint16 part) external {
        if (msg.sender != DEPOSITOR) revert BaseTime_NotDepositor();
        if (part > 800 || part % 200 != 0) revert BaseTime_InvalidTimestampMillisPart();
        timestampMillisPart = part;
    }
}
