"""The kernel's randomness under TestU01, and the bias of its dice in exact numbers; run by hand, never by CI."""
