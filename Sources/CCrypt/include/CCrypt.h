#ifndef VESTRY_CCRYPT_H
#define VESTRY_CCRYPT_H

/*
 * crypt(3): 1 where a password is the one that a record of crypt(5) was made of, 0 where it is another,
 * -1 where nobody can tell here: by a method that this system does not know, or a password of 512
 * bytes, which libxcrypt does not take.
 */
int vestry_password_fits(const char *password, const char *record);

#endif
