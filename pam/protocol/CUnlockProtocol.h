/*
 * The contract between whoever has a password (pam_vestry.so inside a login
 * program, or the vestry library through the unlock socket) and
 * vestry-session-helper.
 *
 * One connected AF_UNIX socket of type SOCK_SEQPACKET carries exactly one
 * request and one reply, each one packet of exactly the size of its structure,
 * in the machine's own byte order: both ends always run on the same machine.
 * The size never depends on the password, and unused bytes are zero.
 *
 * Fields are fixed arrays with counts, so that neither side parses anything
 * that could run over its end.
 */
#ifndef VESTRY_UNLOCK_PROTOCOL_H
#define VESTRY_UNLOCK_PROTOCOL_H

#include <stddef.h>
#include <stdint.h>

/* The program that pam_vestry.so starts, and the socket for everybody else. */
#define VESTRY_HELPER_PATH "/usr/libexec/vestry-session-helper"
#define VESTRY_UNLOCK_SOCKET_PATH "/run/vestry/unlock.sock"

/* Root's own run-time state: locks of the helper, and below it one file per
 * user that the helper touches after every unlock, for those who wait, and one
 * per login session, for those who ask which there are. */
#define VESTRY_RUNTIME_DIRECTORY "/run/vestry"
#define VESTRY_UNLOCK_EVENTS_DIRECTORY "/run/vestry/unlocked"
#define VESTRY_SESSIONS_DIRECTORY "/run/vestry/sessions"

#define VESTRY_PROTOCOL_VERSION 1u

/* User names end with a NUL inside this many bytes (LOGIN_NAME_MAX). */
#define VESTRY_USER_SIZE 256
/* Passwords are cut to this many bytes, as libpam (PAM_MAX_RESP_SIZE) and
 * libxcrypt (CRYPT_MAX_PASSPHRASE_SIZE) cut them. */
#define VESTRY_PASSWORD_MAX 512

enum vestry_verb {
    /* Root only: unlock if a password is given (and make the store at the
     * first one), and link the user's presence keyring into the session
     * keyring that the helper inherited. */
    VESTRY_VERB_OPEN = 1,
    /* Unlock with the password, or another secret of the kind in `opener`;
     * never makes a store. Root may name a user, everybody else is served for
     * their own account (empty name). */
    VESTRY_VERB_UNLOCK = 2,
    /* Wrap the class keys under new_password, opened with password. An empty
     * password asks whether a store would need it. Root may name a user,
     * everybody else is served for their own account. */
    VESTRY_VERB_REWRAP = 3,
    /* Return the key of key_class in the reply, for the one read that the
     * password was typed for. No key goes to the kernel. Root may name a user,
     * everybody else is served for their own account. */
    VESTRY_VERB_AUTHORIZE = 4,
    /* Root only: a session was opened, and then refused. Drop every key of the
     * user, unless another session of theirs is open. */
    VESTRY_VERB_CLOSE = 5,
    /* Add a protector of the kind in `kind` with the secret in new_password;
     * password is a secret of the kind in `opener`. An empty one makes a store
     * that this secret opens, for an account without a password. Root may name a user,
     * everybody else is served for their own account; so below. */
    VESTRY_VERB_ADD_PROTECTOR = 6,
    /* Remove the protector with this id; password and opener as above. */
    VESTRY_VERB_REMOVE_PROTECTOR = 7,
    /* As rewrap, opened by a secret of the kind in `opener`. */
    VESTRY_VERB_RECOVER = 8,
    /* Give the classes of the bits in key_class new keys, each with a bridge to
     * the one before, and put them into the kernel. A class whose rotation is
     * not over gets none. Root may name a user, everybody else is served for
     * their own account. */
    VESTRY_VERB_BEGIN_ROTATION = 9,
    /* Forget the older keys of the classes of the bits in key_class, which
     * nothing needs any more. Takes no password. Root may name a user, everybody
     * else is served for their own account. */
    VESTRY_VERB_END_ROTATION = 10,
    /* Say whether this machine's device key opens the ThisDeviceOnly classes.
     * Takes no password, and opens nothing. Root may name a user, or nobody for
     * the machine alone; everybody else is served for their own account. */
    VESTRY_VERB_DEVICE_KEY = 11,
};

/* What a secret is (Protector.Kind in the library). */
enum vestry_protector {
    /* The login password, or else the one before it. */
    VESTRY_PROTECTOR_ANY_PASSWORD = 0,
    VESTRY_PROTECTOR_LOGIN_PASSWORD = 1,
    VESTRY_PROTECTOR_PREVIOUS_PASSWORD = 2,
    /* 32 bytes. */
    VESTRY_PROTECTOR_RECOVERY_CODE = 3,
    VESTRY_PROTECTOR_PASSPHRASE = 4,
    /* A keyed BLAKE2b-256 of a file. */
    VESTRY_PROTECTOR_KEY_FILE = 5,
};

#define VESTRY_LABEL_SIZE 64
#define VESTRY_PROTECTOR_ID_SIZE 16

/* The classes that are read with the password alone (KeyClass in the library). */
enum vestry_key_class {
    VESTRY_KEY_CLASS_NONE = 0,
    VESTRY_KEY_CLASS_PRESENCE = 7,
    VESTRY_KEY_CLASS_PRESENCE_THIS_DEVICE_ONLY = 8,
};

#define VESTRY_STORE_ID_SIZE 16
#define VESTRY_CLASS_KEY_SIZE 32

struct vestry_request {
    uint32_t version;
    uint32_t verb;
    /* How long the asker will wait for the reply. */
    uint32_t budget_milliseconds;
    uint16_t password_count;
    uint16_t new_password_count;
    char user[VESTRY_USER_SIZE];
    uint8_t password[VESTRY_PASSWORD_MAX];
    uint8_t new_password[VESTRY_PASSWORD_MAX];
    /* authorize: which key. The rotation verbs: bit n for the class of number n,
     * 2 to 8. 0 for every other verb. */
    uint32_t key_class;
    /* unlock and the verbs of protectors; zero for every other verb, as below. */
    uint8_t opener;
    /* add: one of 3 to 5. */
    uint8_t kind;
    /* add: the user's name for it, UTF-8. */
    uint16_t label_count;
    uint8_t label[VESTRY_LABEL_SIZE];
    /* remove: which one. */
    uint8_t protector[VESTRY_PROTECTOR_ID_SIZE];
};

/* The bytes of a request before new_password: what a login needs of it. */
enum { VESTRY_LOGIN_REQUEST_SIZE = offsetof(struct vestry_request, new_password) };

/* What became of the store. */
enum vestry_result {
    VESTRY_OPENED = 0,
    /* A store was made for this user, and opened. */
    VESTRY_ENROLLED = 1,
    /* Every key was in the kernel already. */
    VESTRY_ALREADY_OPEN = 2,
    VESTRY_REWRAPPED = 3,
    /* The login password does not open the store, the one before it does. */
    VESTRY_OPENED_BY_PREVIOUS = 4,
    /* open: no password was given. rewrap: a store needs the old one. */
    VESTRY_NO_PASSWORD = 5,
    VESTRY_NO_STORE = 6,
    VESTRY_WRONG_PASSWORD = 7,
    VESTRY_DAMAGED = 8,
    VESTRY_NEWER_FORMAT = 9,
    /* The store's owner, mode or file type is wrong, or the asker may not ask this. */
    VESTRY_DENIED = 10,
    /* The account is outside the served range, or Vestry is switched off. */
    VESTRY_NOT_SERVED = 11,
    VESTRY_UNKNOWN_USER = 12,
    VESTRY_HOME_MISSING = 13,
    VESTRY_NO_DEVICE_KEY = 14,
    VESTRY_NO_KEYRING_SUPPORT = 15,
    VESTRY_KEYRING_BLOCKED = 16,
    VESTRY_KEYRING_QUOTA = 17,
    /* Too many derivations at once: no turn within the budget. */
    VESTRY_BUSY = 18,
    VESTRY_NO_MEMORY = 19,
    /* The file system refused a write: full, or over quota. */
    VESTRY_WRITE_FAILED = 20,
    VESTRY_BAD_REQUEST = 21,
    VESTRY_FAILED = 22,
    /* open: the keys of open sessions are back; the others were there already. */
    VESTRY_REOPENED = 23,
    /* close: no key is in the kernel any more. */
    VESTRY_CLOSED = 24,
    /* open: the password opens no protector, but keys of this boot were in the
     * kernel: it opens what these open from now on. */
    VESTRY_FOLLOWED = 25,
    /* A protector can be given no new class key: its secret must be typed once. */
    VESTRY_PROTECTOR_OUT_OF_REACH = 26,
    /* The login password's protector, or one that alone has a class key. */
    VESTRY_PROTECTOR_NEEDED = 27,
    VESTRY_NO_SUCH_PROTECTOR = 28,
    /* As many protectors or class keys as a keybag holds. */
    VESTRY_KEYBAG_FULL = 29,
    VESTRY_ROTATION_BEGUN = 30,
    VESTRY_ROTATION_ENDED = 31,
    /* The store is on a file system that is mounted read-only. */
    VESTRY_READ_ONLY = 35,
    /* The disk failed at reading or writing the store. */
    VESTRY_INPUT_OUTPUT = 36,
    /* device key: it is at hand, and the store's where one is asked for. */
    VESTRY_DEVICE_KEY_FITS = 37,
    /* The device key is sealed, and does not open. */
    VESTRY_DEVICE_KEY_SHUT = 38,
    /* device key: it is at hand, and the store has been wrapped with another
     * machine's, or with one that was forgotten. */
    VESTRY_DEVICE_KEY_OF_ANOTHER = 39,
    /* open: what the login gave is not the account's password, and opens nothing: a one-time code
     * stands behind it, or another module's secret in its place. No store is made with it, and none
     * follows it. */
    VESTRY_NOT_THE_PASSWORD = 40,
    /* open: as VESTRY_WRONG_PASSWORD, and nothing here can tell that it is the account's, as for
     * that of a directory: where the next login gives it again, the store follows it. */
    VESTRY_FOLLOWS_NEXT = 41,
    /* open: the account has no password, and there is no store, or none that what was typed opens.
     * unlock without a password: the account has none. */
    VESTRY_ACCOUNT_WITHOUT_PASSWORD = 42,
};

/* What became of the session's presence (verb open). */
enum vestry_session {
    VESTRY_SESSION_NOT_ASKED = 0,
    VESTRY_SESSION_COUNTS = 1,
    /* The session keyring is not this user's own: pam_keyinit is missing. */
    VESTRY_SESSION_HAS_NO_KEYRING = 2,
    VESTRY_SESSION_FAILED = 3,
};

struct vestry_reply {
    uint32_t version;
    uint32_t result;
    uint32_t session;
    /* Serials for close_session's unlink; 0 where nothing was linked. */
    int32_t presence_keyring;
    int32_t session_keyring;
    /* authorize, where the password is right: the key, its epoch and its store.
     * Zero in every other reply. */
    uint32_t key_epoch;
    uint8_t store_id[VESTRY_STORE_ID_SIZE];
    uint8_t class_key[VESTRY_CLASS_KEY_SIZE];
};

#endif
