// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// The code of an account that the mock wallet has upgraded (EIP-7702): it sends batches of itself,
/// and is in all else as an account without code. batchExecutor.ts has what solc makes of it.
contract BatchExecutor {
    struct Call {
        address to;
        uint256 value;
        bytes data;
    }

    error NotTheAccountItself();

    /// All calls happen, or none: reverts with the data of the first that fails.
    function execute(Call[] calldata calls) external payable {
        if (msg.sender != address(this)) revert NotTheAccountItself();
        for (uint256 i = 0; i < calls.length; i++) {
            Call calldata one = calls[i];
            (bool success, bytes memory result) = one.to.call{value: one.value}(one.data);
            if (success) continue;
            assembly {
                revert(add(result, 32), mload(result))
            }
        }
    }

    /// ERC-1271: a signature of the account's own key is valid.
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 65) return 0xffffffff;
        bytes32 r = bytes32(signature[:32]);
        bytes32 s = bytes32(signature[32:64]);
        address signer = ecrecover(hash, uint8(signature[64]), r, s);
        return signer == address(this) ? this.isValidSignature.selector : bytes4(0xffffffff);
    }

    function onERC721Received(address, address, uint256, bytes calldata) external pure returns (bytes4) {
        return this.onERC721Received.selector;
    }

    function onERC1155Received(address, address, uint256, uint256, bytes calldata)
        external
        pure
        returns (bytes4)
    {
        return this.onERC1155Received.selector;
    }

    function onERC1155BatchReceived(
        address,
        address,
        uint256[] calldata,
        uint256[] calldata,
        bytes calldata
    ) external pure returns (bytes4) {
        return this.onERC1155BatchReceived.selector;
    }

    /// ERC-165: itself, and the receivers of ERC-721 and ERC-1155.
    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x150b7a02 || id == 0x4e2312e0;
    }

    receive() external payable {}

    fallback() external payable {}
}
