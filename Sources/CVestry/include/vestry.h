/*
 * vestry.h: the keychain that the login opens, for C and for what calls C.
 *
 *     vestry_keychain *keychain;
 *     vestry_secret *secret;
 *     if (vestry_keychain_open(0, &keychain) == VESTRY_OK) {
 *         if (vestry_get(keychain, "git.example.org", "alice", &secret) == VESTRY_OK) {
 *             use(vestry_secret_bytes(secret), vestry_secret_length(secret));
 *             vestry_secret_free(secret);
 *         }
 *         vestry_keychain_close(keychain);
 *     }
 *
 * A function that can fail returns VESTRY_OK, which is 0, or the number of the reason; then it has
 * changed nothing, and what it was to return is NULL, 0 or false. Texts are UTF-8 and end with a zero;
 * a secret is any bytes, and has a length. A NULL where something is needed is VESTRY_PARAMETER, and so
 * is a text that is no UTF-8; what frees something does nothing with NULL.
 *
 * A keychain, a list and a secret can be used from several threads at once. An item can be read from
 * several, and changed from one while no other uses it. All of them can be used in a child of fork(2).
 * The library starts no thread, handles no signal, reads no environment variable of its own, and never
 * asks anybody for anything. Out of memory is the one thing that it does not return from.
 *
 * See libvestry(3).
 */
#ifndef VESTRY_H
#define VESTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The release that this header is of. */
#define VESTRY_VERSION "0.1.0"

/*
 * Why something failed. The numbers never change, and are Apple's where Keychain Services has the same
 * condition. Releases may add others.
 */
#define VESTRY_OK 0
/* No item has these names. */
#define VESTRY_NOT_FOUND (-25300)
/* An item with these names exists already. */
#define VESTRY_DUPLICATE (-25299)
/* The item's class is locked, or the item asks for the user at each read. */
#define VESTRY_LOCKED (-25308)
/* A password does not open the keychain or the item. */
#define VESTRY_WRONG_PASSWORD (-25293)
/* A person dismissed the question. */
#define VESTRY_CANCELLED (-128)
/* An argument is NULL, no UTF-8, too long, or unknown; or several items match and one is meant. */
#define VESTRY_PARAMETER (-50)
/* Something that the keychain needs is not there: kernel keyring, home directory. */
#define VESTRY_NOT_AVAILABLE (-25291)
/* The unlock service does not run. */
#define VESTRY_SERVICE_NOT_AVAILABLE (-67585)
/* The account has no keychain yet. */
#define VESTRY_NO_KEYCHAIN (-25294)
/* The secret is longer than VESTRY_SECRET_MAX. */
#define VESTRY_TOO_LARGE (-25302)
/* A file of the keychain is not what was written. */
#define VESTRY_DAMAGED (-25295)
/* One item does not open although its class is unlocked. */
#define VESTRY_ITEM_DAMAGED (-26275)
/* A newer release wrote the keychain. */
#define VESTRY_NEWER_FORMAT (-25310)
/* The file system is full. */
#define VESTRY_DISK_FULL (-34)
/* The file system or the file is read-only. */
#define VESTRY_READ_ONLY (-25292)
/* Owner, mode or type of a file forbids its use. */
#define VESTRY_DENIED (-25243)
/* Other programs keep the keychain busy. */
#define VESTRY_BUSY (-67869)
/* The user's share of kernel keys is used up. */
#define VESTRY_QUOTA_EXCEEDED (-67596)
/* Not enough memory. */
#define VESTRY_OUT_OF_MEMORY (-108)
/* The time was over first. */
#define VESTRY_TIMED_OUT 100110
/* The access group is none of this program's. */
#define VESTRY_MISSING_ENTITLEMENT (-34018)
/* Only the keychain sets this attribute. */
#define VESTRY_READ_ONLY_ATTRIBUTE (-25309)
/* This release cannot do it. */
#define VESTRY_UNIMPLEMENTED (-4)
/* A file or system call failed. */
#define VESTRY_INPUT_OUTPUT (-36)

/* What a number means, for people: "no such item (-25300)". Never NULL, never to be freed. */
const char *vestry_error_message(int error);

/* What to do about it, for people: "log in with your password, ...". Never NULL, never to be freed. */
const char *vestry_error_next_step(int error);

/*
 * What the last failure in this thread was, in more words than vestry_error_message() has: "the
 * keychain is damaged: the file keybag is missing beside items.sqlite (-25295)". Never a secret, a
 * service or an account. Good until the thread's next call; "" when nothing has failed in it.
 */
const char *vestry_last_error(void);

/* The release of the library. */
const char *vestry_version(void);

/* When an item can be read: the words of the command line. */
#define VESTRY_AFTER_FIRST_UNLOCK "after-first-unlock"
#define VESTRY_WHEN_UNLOCKED "when-unlocked"
#define VESTRY_AFTER_FIRST_UNLOCK_THIS_DEVICE_ONLY "after-first-unlock-this-device-only"
#define VESTRY_WHEN_UNLOCKED_THIS_DEVICE_ONLY "when-unlocked-this-device-only"
#define VESTRY_WHEN_PASSCODE_SET_THIS_DEVICE_ONLY "when-passcode-set-this-device-only"

/* ------------------------------------------------------------------------------------- keychain */

/* The keychain of the user who runs the program. It holds no key and no secret. */
typedef struct vestry_keychain vestry_keychain;

/*
 * The files stay open between calls, for programs that read often: a get then takes about a tenth of
 * the time. Nothing is locked in between.
 */
#define VESTRY_KEEP_OPEN 1u
/* What is replaced and deleted is not kept for 'vestry undo'. */
#define VESTRY_NO_HISTORY 2u

/*
 * Finds the keychain. That works too where it is locked or not there yet, which the functions below
 * return. `flags` is 0 or VESTRY_KEEP_OPEN, VESTRY_NO_HISTORY or both.
 */
int vestry_keychain_open(unsigned int flags, vestry_keychain **keychain);

/* Frees it, once nothing uses it any more. */
void vestry_keychain_close(vestry_keychain *keychain);

/* The states of a keychain: the words of 'vestry status'. */
#define VESTRY_STATE_NO_STORE "no-store"
#define VESTRY_STATE_LOCKED "locked"
#define VESTRY_STATE_AFTER_FIRST_UNLOCK "after-first-unlock"
#define VESTRY_STATE_UNLOCKED "unlocked"
#define VESTRY_STATE_UNAVAILABLE "unavailable"

/*
 * Says what can be read now, and why not more, in the words of 'vestry status --json'; `reason` may be
 * NULL. The unlock service is not asked, so that this waits for no other program, and an account without
 * a password is "no-store" or "locked" like any other: 'vestry status' tells it apart. The words are never
 * to be freed. Where the state is "unavailable", it is said too, and the reason's number is returned.
 */
int vestry_status(const vestry_keychain *keychain, const char **state, const char **reason);

/*
 * Says whether items of one class can be read now: not while locked, and not where there is no keychain
 * yet. `accessible` is one of the words above.
 */
int vestry_is_readable(const vestry_keychain *keychain, const char *accessible, bool *readable);

/*
 * Sleeps until items of a class can be read, at most `milliseconds`, without limit where that is
 * negative; a keychain that is not there yet is waited for. VESTRY_TIMED_OUT when the time was over
 * first. A signal's handler runs, and the waiting goes on.
 */
int vestry_wait(const vestry_keychain *keychain, const char *accessible, int64_t milliseconds);

/* -------------------------------------------------------------------------------------- secrets */

/* The bytes of a secret, in locked memory that no core dump has, and that is zeroed when it is freed. */
typedef struct vestry_secret vestry_secret;

/* The longest secret, in bytes: 8 MiB. */
#define VESTRY_SECRET_MAX 8388608

/* The bytes; a zero stands behind them, which does not count. NULL only for NULL. */
const void *vestry_secret_bytes(const vestry_secret *secret);

/* How many bytes there are; an empty secret is a secret. */
size_t vestry_secret_length(const vestry_secret *secret);

/* Zeroes and frees it. */
void vestry_secret_free(vestry_secret *secret);

/* ------------------------------------------------------------ secrets by service and account */

/*
 * Reads a secret. A program that has several access groups finds the item in any of them; where two have
 * one with these names, that is VESTRY_PARAMETER.
 */
int vestry_get(const vestry_keychain *keychain, const char *service, const char *account,
               vestry_secret **secret);

/*
 * Stores a secret, in place of the one that is there or as a new item that is after-first-unlock. In
 * one step: whoever reads meanwhile finds the old one or the new one. `bytes` may be NULL where
 * `length` is 0.
 */
int vestry_set(const vestry_keychain *keychain, const char *service, const char *account,
               const void *bytes, size_t length);

/* Removes an item. A locked one can be removed too. */
int vestry_delete(const vestry_keychain *keychain, const char *service, const char *account);

/* ------------------------------------------------------------------- items with more attributes */

/* The attributes of an item: of one to find, of one to store, or of one that was found. */
typedef struct vestry_item vestry_item;

/* The attributes: the names in the output of 'vestry list --json'. Texts: */
#define VESTRY_CLASS "class"             /* "generic-password" or "internet-password" */
#define VESTRY_SERVICE "service"         /* of a generic password */
#define VESTRY_ACCOUNT "account"         /* of both */
#define VESTRY_LABEL "label"             /* a name for people */
#define VESTRY_COMMENT "comment"         /* anything else to say */
#define VESTRY_DESCRIPTION "description" /* what kind of password it is, for people */
#define VESTRY_ACCESSIBLE "accessible"   /* "after-first-unlock" and so on */
#define VESTRY_GROUP "group"             /* the access group; to find, any of the program's unless given */
#define VESTRY_REFERENCE "reference"     /* the item's own name, 32 hexadecimal digits */
#define VESTRY_SERVER "server"           /* this and the others are of internet passwords */
#define VESTRY_PROTOCOL "protocol"       /* such as "https", or a code of four characters */
#define VESTRY_AUTHENTICATION_TYPE "authenticationType" /* such as "http-basic" */
#define VESTRY_PATH "path"               /* on the server */
#define VESTRY_SECURITY_DOMAIN "securityDomain" /* such as a realm */
/* Numbers: */
#define VESTRY_PORT "port"               /* 0 to 65535; 0 is any */
#define VESTRY_SYNCHRONIZABLE "synchronizable" /* 0 or 1 */
#define VESTRY_EXPIRES "expires"         /* seconds since 1970 */
#define VESTRY_CREATED "created"         /* likewise; set by the keychain */
#define VESTRY_MODIFIED "modified"       /* likewise; set by the keychain */

/* Makes an item without attributes. */
int vestry_item_new(vestry_item **item);

/* Frees an item that vestry_item_new() made; those of a list belong to the list. */
void vestry_item_free(vestry_item *item);

/* Gives an attribute a text; NULL takes it away. The text is copied. */
int vestry_item_set_text(vestry_item *item, const char *attribute, const char *text);

/* Gives an attribute a number. */
int vestry_item_set_number(vestry_item *item, const char *attribute, int64_t number);

/* The text of an attribute, good as long as the item has it; NULL where it has none. */
const char *vestry_item_text(const vestry_item *item, const char *attribute);

/* The number of an attribute; VESTRY_NOT_FOUND where it has none. */
int vestry_item_number(const vestry_item *item, const char *attribute, int64_t *number);

/*
 * Reads the secret of the one item that has all these attributes. A class that is not given is
 * "internet-password" where an attribute of those is, else "generic-password". Where several items
 * match, that is VESTRY_PARAMETER: give more attributes, or the reference.
 */
int vestry_get_item(const vestry_keychain *keychain, const vestry_item *item,
                    vestry_secret **secret);

/* Only as a new item: VESTRY_DUPLICATE where it is there. */
#define VESTRY_ADD_ONLY 1u
/* Only in place of one: VESTRY_NOT_FOUND where it is not. */
#define VESTRY_UPDATE_ONLY 2u

/*
 * Stores a secret with these attributes, in place of the one whose names are the same now, or as a new
 * item. Names are service and account; of an internet password server, account, protocol,
 * authenticationType, port, path and securityDomain; where one is not given, it is empty. An item that
 * is there keeps the other attributes that are not given. `flags` is 0, VESTRY_ADD_ONLY or
 * VESTRY_UPDATE_ONLY.
 */
int vestry_set_item(const vestry_keychain *keychain, const vestry_item *item, const void *bytes,
                    size_t length, unsigned int flags);

/* Removes the one item that has all these attributes, a locked one too; several are VESTRY_PARAMETER. */
int vestry_delete_item(const vestry_keychain *keychain, const vestry_item *item);

/* What was found. */
typedef struct vestry_list vestry_list;

/*
 * Finds the items of one class that have all these attributes, without their secrets; every generic
 * password where `item` is NULL. Nothing found is an empty list, and no failure.
 */
int vestry_list_items(const vestry_keychain *keychain, const vestry_item *item,
                      vestry_list **list);

/* How many items the list has. */
size_t vestry_list_count(const vestry_list *list);

/* One of them, from 0 on, the oldest first; good as long as the list. NULL behind the last. */
const vestry_item *vestry_list_get(const vestry_list *list, size_t index);

/* How many more there are whose class is locked. */
size_t vestry_list_locked_count(const vestry_list *list);

/* How many more do not open although their class is unlocked. */
size_t vestry_list_damaged_count(const vestry_list *list);

/* Frees the list and its items. */
void vestry_list_free(vestry_list *list);

#ifdef __cplusplus
}
#endif

#endif
