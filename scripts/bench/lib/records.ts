/** An account with all fields of the Main API's schema; about 600 bytes of JSON. */
export function account(id: number): Record<string, unknown> {
  return {
    id,
    name: `Example Training and Consultancy ${id} Ltd`,
    email: `billing-${id}@example.com`,
    phone: id % 3 === 0 ? null : "+31 20 555 01 23",
    account_type: id % 2 === 0 ? "business" : "personal",
    label_ids: [id % 7, id % 11, 40 + (id % 5)],
    personal_user_id: id % 2 === 0 ? null : 10_000 + id,
    slug: `example-training-and-consultancy-${id}`,
    users_count: id % 40,
    visible: true,
    updated_at: "2026-03-14T09:26:53.589Z",
    created_at: "2024-11-02T13:05:11.000Z",
    custom: { region: "north", since: 2019, newsletter: id % 2 === 0, remarks: null },
    address: {
      addressee: `Example Training ${id}`,
      address: "Keizersgracht 123",
      postal_code: "1015 CJ",
      city: "Amsterdam",
      country: "NL",
      address_line2: null,
      state_province: null,
    },
  };
}
