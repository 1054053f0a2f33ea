# test_accounts.py
import json
import os
import signal
import subprocess
import unittest
from urllib.error import HTTPError
from urllib.request import Request, urlopen

SANDBOX = "npx education-admin-sdk sandbox --port 0 --empty --now 2026-03-01 --freeze --control --log json --quiet"


def send(method, url, body=None, key=""):
    """Sends a request and returns the value in the response."""
    headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url, data=data, headers=headers, method=method)) as response:
        text = response.read()
        return json.loads(text) if text else None


class AccountsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # In a group of its own, because npx starts the sandbox by a shell, which would not hand a signal on.
        cls.sandbox = subprocess.Popen(SANDBOX.split(), stdout=subprocess.PIPE, text=True, start_new_session=True)
        ready = json.loads(cls.sandbox.stdout.readline())
        cls.accounts = ready["baseUrl"] + "/api/v1/accounts"
        cls.key, cls.control = ready["apiKey"], ready["control"]

    @classmethod
    def tearDownClass(cls):
        os.killpg(cls.sandbox.pid, signal.SIGTERM)
        cls.sandbox.communicate()

    def setUp(self):
        send("POST", self.control + "/reset")

    def test_a_new_account_has_the_time_of_the_sandbox(self):
        send("POST", self.control + "/clock", {"advanceMs": 3_600_000})
        created = send("POST", self.accounts, {"name": "Example Ltd"}, self.key)
        self.assertEqual(created["created_at"], "2026-03-01T01:00:00.000Z")
        [call] = send("GET", self.control + "/calls?operation=accounts.create")
        self.assertEqual(call["body"], {"name": "Example Ltd"})

    def test_an_address_that_is_taken(self):
        fault = {"operation": "accounts.create", "status": 422, "errors": {"email": ["is taken"]}}
        send("POST", self.control + "/faults", fault)
        with self.assertRaises(HTTPError) as refused:
            send("POST", self.accounts, {"name": "Example Ltd"}, self.key)
        with refused.exception as error:
            self.assertEqual(json.load(error)["errors"], {"email": ["is taken"]})
        self.assertEqual(send("GET", self.control + "/faults"), [])


if __name__ == "__main__":
    unittest.main()
