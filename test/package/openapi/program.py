import json
import sys

sys.path[:0] = ["generated/python/main"]
import school_main  # noqa: E402

url, key = sys.argv[1:]
configuration = school_main.Configuration(host=url)
configuration.access_token = key
with school_main.ApiClient(configuration) as client:
    accounts = school_main.AccountsApi(client)
    listed = accounts.accounts_list(per_page=3)
    assert len(listed) == 3, listed
    created = accounts.accounts_create(school_main.AccountCreate(name="Example Ltd"))
    assert created.name == "Example Ltd" and created.id > 0, created
    try:
        accounts.accounts_get(999_999)
    except school_main.ApiException as failure:
        assert failure.status == 404, failure.status
        assert json.loads(failure.body)["message"], failure.body
    else:
        raise AssertionError("no error")
print("list, create, error")
