// SPDX-License-Identifier: MIT
pragma solidity ^0.8.21;

/// Tokens as wallets and explorers meet them: good ones of each standard, and hostile ones.

contract Dollar {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    string public constant symbol = "USDT";
    uint8 public constant decimals = 6;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        if (allowance[from][msg.sender] != type(uint256).max) allowance[from][msg.sender] -= value;
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
        return true;
    }
}

/// Takes dollars, and passes ether on.
contract Desk {
    mapping(address => uint256) public paid;

    function deposit(Dollar token, uint256 amount) external payable {
        token.transferFrom(msg.sender, address(this), amount);
        paid[msg.sender] += amount;
        if (msg.value > 0) payable(address(0xbeef)).transfer(msg.value);
    }
}

/// ERC-721, with decimals to lead astray.
contract Painting {
    event Transfer(address indexed from, address indexed to, uint256 indexed id);

    string public constant symbol = "ART";
    uint8 public constant decimals = 18;
    mapping(uint256 => address) public ownerOf;
    mapping(address => uint256) public balanceOf;

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x80ac58cd || id == 0x01ffc9a7;
    }

    function mint(address to, uint256 id) external {
        ownerOf[id] = to;
        balanceOf[to]++;
        emit Transfer(address(0), to, id);
    }

    function transferFrom(address from, address to, uint256 id) external {
        ownerOf[id] = to;
        balanceOf[from]--;
        balanceOf[to]++;
        emit Transfer(from, to, id);
    }
}

/// ERC-1155.
contract Resource {
    event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value);

    mapping(address => mapping(uint256 => uint256)) public balanceOf;

    function mint(address to, uint256 id, uint256 value) external {
        balanceOf[to][id] += value;
        emit TransferSingle(msg.sender, address(0), to, id, value);
    }
}

/// An old token with a symbol of 32 bytes.
contract Maker {
    bytes32 public constant symbol = "MKR";
    uint8 public constant decimals = 18;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function transfer(address to, uint256 value) external {
        emit Transfer(msg.sender, to, value);
    }
}

/// Answers in each of the ways that hurt.
contract Hostile {
    enum Mode {
        Reverts,
        Burns,
        Loops,
        Huge,
        Bent
    }

    Mode public mode;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(Mode mode_) {
        mode = mode_;
    }

    function transfer(address to, uint256 value) external {
        emit Transfer(msg.sender, to, value);
    }

    fallback() external {
        if (mode == Mode.Reverts) revert("no");
        if (mode == Mode.Burns) {
            assembly {
                invalid()
            }
        }
        while (mode == Mode.Loops) {}
        if (mode == Mode.Huge) {
            bytes memory text = new bytes(20_000);
            for (uint256 at = 0; at < 64; at++) text[at] = "X";
            bytes memory answer = abi.encode(text);
            assembly {
                return(add(answer, 32), mload(answer))
            }
        }
        bytes memory bent = abi.encode(type(uint256).max, type(uint256).max);
        assembly {
            return(add(bent, 32), mload(bent))
        }
    }
}

/// Two tokens of which the second lies about decimals.
contract Liar {
    string public constant symbol = "LIE";
    uint256 public constant decimals = 2 ** 200;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function transfer(address to, uint256 value) external {
        emit Transfer(msg.sender, to, value);
    }
}
