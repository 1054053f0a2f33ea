import { describe, expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { ask, ids, linksOf } from "./support.js";

const sandbox = createSandbox({ size: 60 });

describe("cursor pages", () => {
  test("have 25 records by default, and at most 100", async () => {
    expect((await ask(sandbox, "api/v1/accounts")).body).toHaveLength(25);
    expect((await ask(sandbox, "api/v1/accounts?per_page=60")).body).toHaveLength(60);
    for (const perPage of ["0", "101", "x", "2.5", ""]) {
      const answer = await ask(sandbox, `api/v1/accounts?per_page=${perPage}`);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ code: 400, errors: { per_page: [expect.any(String)] } });
    }
  });

  test("lead through the whole list with next and back with prev, page for page", async () => {
    const forward: number[][] = [];
    const links: Record<string, string>[] = [];
    for (let path: string | undefined = "api/v1/accounts?per_page=25"; path; path = links.at(-1)?.next) {
      const { body, headers } = await ask(sandbox, path);
      forward.push(ids(body));
      links.push(linksOf(headers));
    }
    expect(forward.map((page) => page.length)).toEqual([25, 25, 10]);
    expect(forward.flat()).toEqual(Array.from({ length: 60 }, (_, at) => at + 1));
    expect(links.map((each) => Object.keys(each))).toEqual([["next"], ["next", "prev"], ["prev"]]);
    const second = await ask(sandbox, links[2]?.prev as string);
    expect(ids(second.body)).toEqual(forward[1]);
    const first = await ask(sandbox, linksOf(second.headers).prev as string);
    expect(ids(first.body)).toEqual(forward[0]);
    expect(Object.keys(linksOf(first.headers))).toEqual(["next"]);
  });

  test("have links that keep filters and per_page, at the requested address", async () => {
    const { headers } = await ask(
      sandbox,
      "http://127.0.0.1:9/prefix/api/v1/enrollments?status=completed&status=active&per_page=3",
    );
    const next = new URL(linksOf(headers).next as string);
    expect(next.origin + next.pathname).toBe("http://127.0.0.1:9/prefix/api/v1/enrollments");
    expect(next.searchParams.getAll("status")).toEqual(["completed", "active"]);
    expect(next.searchParams.get("per_page")).toBe("3");
    expect(next.searchParams.get("cursor")).toMatch(/^[\w-]+$/);
  });

  test("refuse a cursor of another list or of other filters, and an unknown one, with the error body", async () => {
    const { headers } = await ask(sandbox, "api/v1/accounts?per_page=5&account_type=business");
    const cursor = new URL(linksOf(headers).next as string).searchParams.get("cursor") as string;
    expect((await ask(sandbox, `api/v1/accounts?account_type=business&cursor=${cursor}`)).status).toBe(200);
    const refused = [
      `api/v1/accounts?cursor=${cursor}`,
      `api/v1/accounts?account_type=personal&cursor=${cursor}`,
      `api/v1/enrollments?cursor=${cursor}`,
      `api/v1/accounts?account_type=business&cursor=${cursor.slice(0, -3)}`,
      "api/v1/accounts?cursor=nonsense",
      `api/v1/accounts?cursor=${btoa('["next",3,1,1]')}`,
    ];
    for (const path of refused) {
      const { status, body } = await ask(sandbox, path);
      expect(status, path).toBe(400);
      expect(body).toMatchObject({
        code: 400,
        message: "The cursor is not valid",
        errors: { cursor: [expect.any(String)] },
      });
    }
    const empty = await ask(sandbox, "api/v1/accounts?cursor=");
    expect(empty).toMatchObject({ status: 400, body: { code: 400, errors: { cursor: [expect.any(String)] } } });
  });

  test("neither repeat nor hide records of a sorted list if others are deleted, added and renamed meanwhile", async () => {
    const changing = createSandbox({ size: 40 });
    const { store } = changing;
    const positionsNow = () => [...store.catalogProducts].map(({ position, id }) => [position, id] as const);
    const expected = positionsNow().map(([, id]) => id);
    const client = new MainClient(changing);
    const seen: number[] = [];
    for await (const page of client.catalogProducts
      .list({ sort: ["position:asc"], per_page: 3 }, { prefetch: 0 })
      .byPage()) {
      seen.push(...ids(page.records));
      // The reader has already seen the deleted record, and the added one is sorted before the current position.
      if (seen.length === 3) store.catalogProducts.delete(seen[0] as number);
      if (seen.length === 6) store.catalogProducts.insert({ position: 0, name: "Added at the front" });
    }
    expect(seen).toEqual(expected);
  });

  test("accept a cursor for the same filters in any order, but only for the same sort", async () => {
    const sandbox = createSandbox({ size: "small" });
    const next = async (query: string): Promise<string> => {
      const { headers } = await ask(sandbox, `api/v1/${query}&per_page=1`);
      return new URL(linksOf(headers).next as string).searchParams.get("cursor") as string;
    };
    const filtered = await next("invoices?status[]=open&status[]=paid");
    expect((await ask(sandbox, `api/v1/invoices?status[]=paid&status[]=open&cursor=${filtered}`)).status).toBe(200);
    expect((await ask(sandbox, `api/v1/invoices?status[]=paid&cursor=${filtered}`)).status).toBe(400);
    const sorted = await next("orders?sort[]=created_at:asc&sort[]=created_at:desc");
    const orders = (sort: string) => ask(sandbox, `api/v1/orders?${sort}&cursor=${sorted}`);
    expect((await orders("sort[]=created_at:asc&sort[]=created_at:desc")).status).toBe(200);
    expect((await orders("sort[]=created_at:desc&sort[]=created_at:asc")).status).toBe(400);
  });

  test("continue in the current list with a cursor from before a reset", async () => {
    const changing = createSandbox({ size: 40 });
    const first = await ask(changing, "api/v1/catalog/products?sort=position:asc&per_page=3");
    changing.reset();
    const second = await ask(changing, linksOf(first.headers).next as string);
    expect(ids(second.body)).toEqual([4, 5, 6]);
  });

  test("include added records in the previous page of a sorted list", async () => {
    const changing = createSandbox({ size: 40 });
    const first = await ask(changing, "api/v1/catalog/products?sort=position:asc&per_page=3");
    const second = await ask(changing, linksOf(first.headers).next as string);
    const back = linksOf(second.headers).prev as string;
    expect(ids((await ask(changing, back)).body)).toEqual(ids(first.body));
    changing.store.catalogProducts.insert({ id: 900, position: 3 });
    expect(ids((await ask(changing, back)).body)).toEqual([...ids(first.body).slice(1), 900]);
  });

  test("accept a cursor only on the path that returned it, even if the same operation has another", async () => {
    const two = createSandbox({ size: 200 });
    const { headers } = await ask(two, "api/v1/custom/objects/equipment/records?per_page=1");
    const cursor = new URL(linksOf(headers).next as string).searchParams.get("cursor");
    expect((await ask(two, `api/v1/custom/objects/equipment/records?per_page=1&cursor=${cursor}`)).status).toBe(200);
    expect((await ask(two, `api/v1/custom/objects/partners/records?per_page=1&cursor=${cursor}`)).status).toBe(400);
  });

  test("neither repeat nor hide records if others are deleted and added meanwhile", async () => {
    const changing = createSandbox({ size: 30 });
    const client = new MainClient(changing);
    const seen: number[] = [];
    for await (const page of client.accounts.list({ per_page: 10 }, { prefetch: 0 }).byPage()) {
      if (seen.length === 0) {
        changing.store.accounts.delete(3);
        changing.store.accounts.delete(15);
        changing.store.accounts.insert({ name: "Late Ltd" });
      }
      seen.push(...ids(page.records));
    }
    expect(seen).toEqual([...Array.from({ length: 30 }, (_, at) => at + 1).filter((id) => id !== 15), 31]);
  });

  test("do not exist for lists without pagination parameters, which refuse them", async () => {
    const client = new MainClient(sandbox);
    const page = await client.meetings.listForPlannedCourse(1);
    expect(page.records).toHaveLength(3);
    expect(page.hasNext).toBe(false);
    expect((await ask(sandbox, "api/v1/planned_courses/1/meetings?per_page=1")).status).toBe(400);
  });

  test("have no links for an empty list", async () => {
    const { body, headers } = await ask(sandbox, "api/v1/accounts?search=nobody-has-this-name");
    expect(body).toEqual([]);
    expect(headers.get("link")).toBeNull();
  });
});

describe("page mode", () => {
  test("page selects the page, and the links are next and last", async () => {
    const second = await ask(sandbox, "api/v1/accounts?page=2&per_page=25");
    expect(ids(second.body)).toEqual(Array.from({ length: 25 }, (_, at) => at + 26));
    const links = linksOf(second.headers);
    expect(Object.keys(links)).toEqual(["next", "last"]);
    expect(new URL(links.last as string).searchParams.get("page")).toBe("3");
    const last = await ask(sandbox, links.next as string);
    expect(ids(last.body)).toEqual(Array.from({ length: 10 }, (_, at) => at + 51));
    expect(Object.keys(linksOf(last.headers))).toEqual(["last"]);
  });

  test("last counts the filtered records", async () => {
    const { headers } = await ask(sandbox, "api/v1/accounts?page=1&per_page=10&account_type=business");
    expect(new URL(linksOf(headers).last as string).searchParams.get("page")).toBe("3");
  });

  test("a page past the end is empty; page 0 is refused", async () => {
    expect((await ask(sandbox, "api/v1/accounts?page=99")).body).toEqual([]);
    expect((await ask(sandbox, "api/v1/accounts?page=0")).status).toBe(400);
  });

  test("lists that accept only cursors refuse page", async () => {
    for (const path of ["api/v1/course_tabs", "api/organization/contacts"]) {
      expect((await ask(sandbox, `${path}?page=1`)).status).toBe(400);
    }
  });
});

describe("sorting", () => {
  const client = new MainClient(sandbox);

  test("sort orders ascending or descending, through every page", async () => {
    const down = await client.catalogProducts.list({ sort: ["position:desc"], per_page: 5 }).toArray({ max: 100 });
    const positions = down.map(({ position }) => position);
    expect(positions).toEqual([...positions].sort((a, b) => b - a));
    expect(positions.length).toBe(sandbox.store.catalogProducts.count);
    const up = await client.catalogProducts.list({ sort: ["id:asc"] }).toArray({ max: 100 });
    expect(ids(up)).toEqual(ids(down).sort((a, b) => a - b));
  });

  test("a changed record moves to its new position", async () => {
    const changing = createSandbox({ size: 10 });
    const categories = new MainClient(changing).categories;
    await categories.list({ sort: ["position:asc"] });
    changing.store.categories.update(1, { position: 99 });
    const sorted = await categories.list({ sort: ["position:asc"] });
    expect(sorted.records.at(-1)?.id).toBe(1);
  });

  test("meetings of one planned course sort by start and by name", async () => {
    const byName = await client.meetings.listForPlannedCourse(2, { sort: ["name:desc"] });
    expect(byName.records.map(({ name }) => name)).toEqual(["Day 3", "Day 2", "Day 1"]);
    const byStart = await client.meetings.listForPlannedCourse(2, { sort: ["start_date_time:asc"] });
    expect(byStart.records.map(({ name }) => name)).toEqual(["Day 1", "Day 2", "Day 3"]);
  });

  test("orders sort by the time of their creation", async () => {
    const orders = await client.orders.list({ sort: ["created_at:desc"] }).toArray({ max: 100 });
    const times = orders.map(({ created_at }) => created_at as string);
    expect(times).toEqual([...times].sort().reverse());
    expect(times).toHaveLength(60);
  });

  test("a field that does not support sorting is refused", async () => {
    for (const path of ["catalog/products?sort=name:asc", "categories?sort=id:asc", "accounts?sort=id:asc"]) {
      const { status, body } = await ask(sandbox, `api/v1/${path}`);
      expect(status, path).toBe(400);
      expect(body).toMatchObject({ code: 400 });
    }
  });
});
