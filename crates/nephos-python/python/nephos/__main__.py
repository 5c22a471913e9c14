"""The program `nephos`, as the console script of the package and as `python -m nephos`."""

import signal
import sys

from nephos import _nephos


def main() -> int:
    # Python's handler would only set a flag until the program returns.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _nephos.main(sys.argv)


if __name__ == "__main__":
    sys.exit(main())
