// SPDX-License-Identifier: MIT
pragma solidity ^0.8.15;

/// The predeploy 0x4200…0016 as https://specs.optimism.io/protocol/withdrawals.html describes it:
/// withdrawals on their way to L1. Storage as there: slot 0 the messages, slot 1 the next nonce.
contract L2ToL1MessagePasser {
    mapping(bytes32 => bool) public sentMessages;
    uint240 private nonce;

    uint16 public constant MESSAGE_VERSION = 1;
    uint256 private constant RECEIVE_GAS_LIMIT = 100_000;

    event MessagePassed(
        uint256 indexed nonce,
        address indexed sender,
        address indexed target,
        uint256 value,
        uint256 gasLimit,
        bytes data,
        bytes32 withdrawalHash
    );
    event WithdrawerBalanceBurnt(uint256 indexed amount);

    receive() external payable {
        initiateWithdrawal(msg.sender, RECEIVE_GAS_LIMIT, "");
    }

    function version() external pure returns (string memory) {
        return "1.1.1";
    }

    function messageNonce() public view returns (uint256) {
        return (uint256(MESSAGE_VERSION) << 240) | nonce;
    }

    function initiateWithdrawal(address target, uint256 gasLimit, bytes memory data) public payable {
        uint256 own = messageNonce();
        bytes32 withdrawal = keccak256(
            abi.encode(own, msg.sender, target, msg.value, gasLimit, data)
        );
        sentMessages[withdrawal] = true;
        emit MessagePassed(own, msg.sender, target, msg.value, gasLimit, data, withdrawal);
        unchecked {
            ++nonce;
        }
    }

    /// Takes what was withdrawn out of circulation: L1 pays it out.
    function burn() external {
        uint256 amount = address(this).balance;
        new Burner{value: amount}();
        emit WithdrawerBalanceBurnt(amount);
    }
}

/// Destroys itself as it is made, with the ether that it holds.
contract Burner {
    constructor() payable {
        assembly {
            selfdestruct(address())
        }
    }
}
