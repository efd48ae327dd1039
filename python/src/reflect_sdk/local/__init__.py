"""Local mode: a server of one's own, started when it is needed and gone when nobody uses it any more.

The folder's server is started by whoever comes first and joined by everybody else. Each client holds a lease, a connection to a Unix
socket in the folder, which the kernel closes when its process ends; the server ends soon after the last one. Nothing here runs at the
interpreter's exit, and no thread is started.
"""

from reflect_sdk.local.binary import find_binary as find_binary
from reflect_sdk.local.server import LocalServer as LocalServer
