// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// An ERC-20 with the functions that wallets read. The storage slot of a balance is its holder's address, and the
/// decimals are in the last slot, so that a test can write them without a call.
contract Token {
    function balanceOf(address holder) external view returns (uint256 held) {
        assembly {
            held := sload(holder)
        }
    }

    function decimals() external view returns (uint8 value) {
        assembly {
            value := sload(not(0))
        }
    }
}

/// An ERC-20 with transfers: it emits an event per transfer, and reverts with a custom error if the balance is too
/// small.
contract Coins {
    event Transfer(address indexed from, address indexed to, uint256 value);

    error TooLittle(address holder, uint256 held, uint256 wanted);

    mapping(address => uint256) public balanceOf;

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        uint256 held = balanceOf[msg.sender];
        if (held < value) revert TooLittle(msg.sender, held, value);
        balanceOf[msg.sender] = held - value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }
}

contract Huge {
    function balanceOf(address) external pure returns (uint256) {
        return type(uint256).max;
    }
}

contract Reverts {
    fallback() external {
        assembly {
            revert(0, 0)
        }
    }
}

contract RevertsWithReason {
    fallback() external {
        revert("not for you");
    }
}

/// A revert whose data looks like a balance.
contract RevertsWithWord {
    fallback() external {
        assembly {
            mstore(0, 7)
            revert(0, 32)
        }
    }
}

contract ReturnsNothing {
    fallback() external {}
}

contract Returns31 {
    fallback() external {
        assembly {
            mstore(0, not(0))
            return(0, 31)
        }
    }
}

contract Returns33 {
    fallback() external {
        assembly {
            mstore(0, 7)
            return(0, 33)
        }
    }
}

contract Returns64 {
    fallback() external {
        assembly {
            mstore(0, 7)
            return(0, 64)
        }
    }
}

contract BurnsGas {
    fallback() external {
        assembly {
            for {} 1 {} {}
        }
    }
}

/// Returns 1 MB, or runs out of gas.
contract ReturnsBomb {
    fallback() external {
        assembly {
            return(0, 1000000)
        }
    }
}

contract RevertsBomb {
    fallback() external {
        assembly {
            revert(0, 1000000)
        }
    }
}

/// Returns the remaining gas as the balance of every holder.
contract ReturnsGas {
    fallback() external {
        assembly {
            mstore(0, gas())
            return(0, 32)
        }
    }
}

/// The functions of Multicall3 that the service uses, with the same selectors and encoding.
contract Multicall3 {
    struct Call3 {
        address target;
        bool allowFailure;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    function aggregate3(Call3[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            (results[i].success, results[i].returnData) = calls[i].target.call(calls[i].callData);
            require(results[i].success || calls[i].allowFailure, "Multicall3: call failed");
        }
    }

    function getEthBalance(address holder) external view returns (uint256) {
        return holder.balance;
    }

    function getBlockNumber() external view returns (uint256) {
        return block.number;
    }

    function getCurrentBlockTimestamp() external view returns (uint256) {
        return block.timestamp;
    }

    function getChainId() external view returns (uint256) {
        return block.chainid;
    }
}
