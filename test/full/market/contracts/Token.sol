// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// An ERC-20 whose owner also sells it for ether.
contract Token {
    string public constant name = "Trial";
    string public constant symbol = "TRL";
    uint8 public constant decimals = 18;
    /// Tokens for one wei.
    uint256 public constant RATE = 1000;

    address public immutable owner;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed);
    error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed);
    error NotTheOwner(address account);

    constructor(uint256 supply) {
        owner = msg.sender;
        _mint(msg.sender, supply);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _transfer(msg.sender, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed < value) revert ERC20InsufficientAllowance(msg.sender, allowed, value);
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
        _transfer(from, to, value);
        return true;
    }

    function mint(address to, uint256 value) external {
        if (msg.sender != owner) revert NotTheOwner(msg.sender);
        _mint(to, value);
    }

    /// Sells tokens for the ether that comes with the call.
    function buy() external payable {
        require(msg.value > 0, "Token: no ether sent");
        _mint(msg.sender, msg.value * RATE);
    }

    function collect() external {
        if (msg.sender != owner) revert NotTheOwner(msg.sender);
        (bool sent, ) = owner.call{ value: address(this).balance }("");
        require(sent, "Token: the owner takes no ether");
    }

    function _mint(address to, uint256 value) private {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function _transfer(address from, address to, uint256 value) private {
        uint256 balance = balanceOf[from];
        if (balance < value) revert ERC20InsufficientBalance(from, balance, value);
        balanceOf[from] = balance - value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}
