"""The kernel keyring calls that tests need, by keyctl(2) itself, and processes of other users."""

import ctypes
import os
import pwd
import signal
import traceback

_libc = ctypes.CDLL(None, use_errno=True)
_ADD_KEY, _KEYCTL = {"x86_64": (248, 250), "aarch64": (217, 219)}[os.uname().machine]
PROCESS, SESSION, USER, USER_SESSION = -2, -3, -4, -5


def _call(*arguments):
    result = _libc.syscall(*arguments)
    if result < 0:
        errno = ctypes.get_errno()
        raise OSError(errno, os.strerror(errno))
    return result


def keyctl(operation, *arguments):
    return _call(_KEYCTL, operation, *arguments)


def join_session():
    return keyctl(1, None)


def unlink(key, keyring):
    return keyctl(9, key, keyring)


def revoke(key):
    return keyctl(3, key)


def search(keyring, kind, description):
    """The serial of a key below a keyring, or None."""
    try:
        return keyctl(10, keyring, kind.encode(), description.encode(), 0)
    except OSError:
        return None


def read(key):
    buffer = ctypes.create_string_buffer(1024)
    count = keyctl(11, key, buffer, len(buffer))
    return buffer.raw[:count]


def describe(key):
    buffer = ctypes.create_string_buffer(1024)
    count = keyctl(6, key, buffer, len(buffer))
    return buffer.raw[: count - 1].decode()


def add_key(kind, description, payload, keyring):
    return _call(_ADD_KEY, kind.encode(), description.encode(), payload, len(payload), keyring)


def become(user):
    """Becomes `user` for good, as login does."""
    account = pwd.getpwnam(user)
    os.initgroups(user, account.pw_gid)
    os.setresgid(*[account.pw_gid] * 3)
    os.setresuid(*[account.pw_uid] * 3)


def new_session(user):
    """What pam_keyinit does in a root process: a new session keyring that `user` owns."""
    account = pwd.getpwnam(user)
    # The real IDs: those are the owner's of a new session keyring.
    os.setregid(account.pw_gid, -1)
    os.setreuid(account.pw_uid, -1)
    serial = join_session()
    os.setreuid(0, -1)
    os.setregid(0, -1)
    return serial


class Process:
    """A child process that answers calls of functions, so that a test can hold several sessions open."""

    def __init__(self, user=None, session_of=None):
        self._ask_read, ask_write = os.pipe()
        answer_read, self._answer_write = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(ask_write)
            os.close(answer_read)
            self._serve(user, session_of)
        os.close(self._ask_read)
        os.close(self._answer_write)
        self._ask = os.fdopen(ask_write, "w")
        self._answers = os.fdopen(answer_read, "r")

    def _serve(self, user, session_of):
        try:
            if session_of:
                new_session(session_of)
            elif user:
                join_session()
            if user:
                become(user)
            import keyctl as module
            import helper_client
            scope = {**vars(module), **vars(helper_client), "os": os}
            answers = os.fdopen(self._answer_write, "w")
            plain = (int, str, bytes, bool, list, tuple, type(None))
            for line in os.fdopen(self._ask_read, "r"):
                try:
                    answer = eval(line, scope)
                except OSError as error:
                    answer = f"errno {error.errno}"
                except Exception:
                    answer = traceback.format_exc()
                answers.write(repr(answer if isinstance(answer, plain) else str(answer)) + "\n")
                answers.flush()
        finally:
            os._exit(0)

    def __call__(self, expression):
        """Evaluates a Python expression in the process; an OSError comes back as "errno N"."""
        self._ask.write(expression.replace("\n", " ") + "\n")
        self._ask.flush()
        line = self._answers.readline()
        try:
            return eval(line, {"__builtins__": {}})
        except SyntaxError:
            return line.strip()

    def end(self, by=signal.SIGTERM):
        os.kill(self.pid, by)
        os.waitpid(self.pid, 0)
        self._ask.close()
        self._answers.close()
