"""The Python module in an unlocked keychain without items: run by a user, with unittest."""

import pickle
import threading
import traceback
import unittest

import vestry
from vestry import Item, Keychain


class Secrets(unittest.TestCase):
    def setUp(self):
        self.keychain = Keychain(history=False)
        self.addCleanup(self.remove_all)

    def remove_all(self):
        for kind in ("generic-password", "internet-password"):
            for found in self.keychain.items(Item(item_class=kind)):
                self.keychain.delete_item(Item(reference=found.reference))

    def test_bytes_and_texts_come_back_as_they_were(self):
        everything = bytes(range(256))
        for given, expected in (
            (everything, everything), (bytearray(everything), everything), (memoryview(everything), everything),
            (memoryview(everything)[::2], everything[::2]), (b"", b""), (bytearray(), b""), ("", b""),
            ("grüße\0x", "grüße\0x".encode()),
        ):
            self.keychain.set("s", "a", given)
            self.assertEqual(self.keychain.get("s", "a"), expected)
        self.assertEqual(self.keychain.get_text("s", "a"), "grüße\0x")
        with self.assertRaises(TypeError):
            self.keychain.set("s", "a", 5)

    def test_what_the_caller_gave_stays(self):
        given = bytearray(b"mine")
        self.keychain.set("s", "a", given)
        self.keychain.set("s", "a", memoryview(given))
        self.assertEqual(given, b"mine")

    def test_a_secret_is_zeroed_at_the_end(self):
        self.keychain.set("s", "a", b"secret")
        with self.keychain.secret("s", "a") as secret:
            view = secret.view
            self.assertEqual((bytes(secret), secret.text(), len(secret), bytes(view)),
                             (b"secret", "secret", 6, b"secret"))
            with self.assertRaises(TypeError):
                view[0] = 1
            self.assertNotIn("secret'", repr(secret))
            with self.assertRaises(TypeError):
                pickle.dumps(secret)
        self.assertEqual(bytes(view), bytes(6))
        with self.assertRaises(KeyError), self.keychain.secret("s", "a") as secret:
            view = secret.view
            raise KeyError
        self.assertEqual(bytes(view), bytes(6))

    def test_no_error_has_a_secret_or_a_name(self):
        self.keychain.set("s", "a", b"s3cret \xff")
        for call in (lambda: self.keychain.get_text("s", "a"), lambda: self.keychain.set("s", "a", "s3cret \udcff"),
                     lambda: self.keychain.get("s3cret \udcff", "a"), lambda: self.keychain.get("s3cret", "b")):
            with self.assertRaises(vestry.VestryError) as raised:
                call()
            error = raised.exception
            self.assertIsNone(error.__context__)
            self.assertNotIn("s3cret", "".join(traceback.format_exception_only(type(error), error)))

    def test_each_failure_has_its_class(self):
        with self.assertRaises(vestry.NotFound) as raised:
            self.keychain.get("s", "a")
        error = raised.exception
        self.assertEqual(
            (error.code, error.message, error.next_step, str(error)),
            (-25300, "no such item (-25300)", "'vestry list' shows what there is",
             "no such item (-25300); 'vestry list' shows what there is"))
        with self.assertRaises(vestry.NotFound):
            self.keychain.delete("s", "a")
        with self.assertRaises(vestry.TooLarge):
            self.keychain.set("s", "a", bytes(8 * 1024 * 1024 + 1))
        for name in ("a\0b", "\udcff", "x" * 65537):
            with self.assertRaises(vestry.InvalidArgument):
                self.keychain.set(name, "a", b"")
        with self.assertRaises(ValueError):
            self.keychain.wait("unlocked")
        with self.assertRaises(vestry.ReadOnlyAttribute):
            self.keychain.set_item(Item(service="s", created=5), b"")
        with self.assertRaises(vestry.InvalidArgument):
            self.keychain.set_item(Item(server="s", port=10**30), b"")

    def test_every_number_of_the_header_has_its_class(self):
        numbers = {found.number for found in vars(vestry).values()
                   if isinstance(found, type) and issubclass(found, vestry.VestryError)}
        self.assertEqual(len(numbers), 26)

    def test_items_keep_their_attributes(self):
        given = Item(
            server="example.org", account="a", protocol="https", authentication_type="html-form", path="/p",
            security_domain="D", port=443, label="L", comment="C", description="K", expires=4102444800,
            accessible=vestry.WHEN_UNLOCKED, synchronizable=True)
        self.keychain.set_item(given, "one", add_only=True)
        with self.assertRaises(vestry.Duplicate):
            self.keychain.set_item(given, "two", add_only=True)
        self.keychain.set_item(given, "three", update_only=True)
        self.assertEqual(len(self.keychain.items(Item(server="example.org"))), 0)
        listing = self.keychain.items(Item(server="example.org", synchronizable=True))
        self.assertEqual((len(listing), listing.locked, listing.damaged), (1, 0, 0))
        found = listing.items[0]
        for name in vars(given):
            if getattr(given, name) is not None:
                self.assertEqual(getattr(found, name), getattr(given, name), name)
        self.assertEqual((found.item_class, found.group, found.service), ("internet-password", "default", None))
        self.assertEqual(found.created, found.modified)
        with self.keychain.get_item(Item(reference=found.reference)) as secret:
            self.assertEqual(secret.text(), "three")

    def test_names_that_are_not_given_are_empty(self):
        for secret in ("one", "two"):
            self.keychain.set_item(Item(server="h"), secret)
            self.keychain.set_item(Item(service="s"), secret)
        found = self.keychain.items(Item(server="h"))
        self.assertEqual([(item.account, item.port, item.path) for item in found], [("", 0, "")])
        self.assertEqual([item.account for item in self.keychain.items(Item(service="s"))], [""])
        self.assertEqual(self.keychain.get("s", ""), b"two")
        with self.keychain.get_item(Item(server="h")) as secret:
            self.assertEqual(bytes(secret), b"two")

    def test_several_matches_are_one_too_many(self):
        for account in "ab":
            self.keychain.set("s", account, account)
        for call in (self.keychain.get_item, self.keychain.delete_item):
            with self.assertRaisesRegex(vestry.InvalidArgument, "several items match"):
                call(Item(service="s"))
        self.assertEqual([found.account for found in self.keychain.items(Item(service="s"))], ["a", "b"])

    def test_threads_share_a_keychain(self):
        keychain = Keychain(keep_open=True, history=False)
        failures = []

        def work(thread):
            try:
                for turn in range(10):
                    keychain.set("t", str(thread), f"{thread}/{turn}")
                    if keychain.get_text("t", str(thread)) != f"{thread}/{turn}":
                        failures.append(thread)
            except vestry.VestryError as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_the_state_is_told(self):
        status = self.keychain.status()
        self.assertEqual((status.state, status.reason, status.error), ("unlocked", "session-open", None))
        self.assertTrue(self.keychain.is_readable())
        self.assertTrue(self.keychain.is_readable(vestry.WHEN_UNLOCKED_THIS_DEVICE_ONLY))
        self.keychain.wait(timeout=0)
        self.keychain.wait(vestry.WHEN_UNLOCKED)


if __name__ == "__main__":
    unittest.main()
