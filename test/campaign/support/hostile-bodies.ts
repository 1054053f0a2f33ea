/** A complete response with malicious content. */
export interface HostileBody {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  text(): string;
}

const TIME = '"2026-01-01T00:00:00.000Z"';
const POLLUTING =
  '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"prototype":{"polluted":true}';
const variant = (id: number, more = "") => `{"id":${id},"name":"x","updated_at":${TIME},"created_at":${TIME}${more}}`;
const deep = (levels: number, open: string, close: string) => `${open.repeat(levels)}1${close.repeat(levels)}`;
const LEVELS = 100_000;
// Names that would run as code if a schema with these names were carelessly compiled.
const CODE = [
  '"];globalThis.polluted=1;//',
  "'];globalThis.polluted=1;//",
  "`];globalThis.polluted=1;//",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: what would run if it ended up in a template.
  "${globalThis.polluted=1}",
  "\u2028globalThis.polluted=1;//",
  "*/globalThis.polluted=1;/*",
  "\\",
]
  .map((name) => `${JSON.stringify(name)}:1`)
  .join(",");

/** The responses, by the name of their case. */
export const hostileBodies: Readonly<Record<string, HostileBody>> = {
  polluting_record: { text: () => variant(1, `,${POLLUTING}`) },
  polluting_list: { text: () => `[${variant(1, `,${POLLUTING}`)},{${POLLUTING}}]` },
  polluting_error: { status: 422, text: () => `{"errors":{${POLLUTING}},"code":422,"message":"no",${POLLUTING}}` },
  deep_arrays: { text: () => variant(1, `,"more":${deep(LEVELS, "[", "]")}`) },
  deep_objects: { text: () => variant(1, `,"more":${deep(LEVELS, '{"a":', "}")}`) },
  deep_instead_of_list: { text: () => deep(LEVELS, "[", "]") },
  deep_known_field: { text: () => `{"id":${deep(LEVELS, "[", "]")},"name":${deep(LEVELS, '{"a":', "}")}}` },
  deep_error: { status: 422, text: () => `{"errors":${deep(LEVELS, '{"a":', "}")},"code":422,"message":"no"}` },
  huge_record: { text: () => variant(1, `,"more":"${"x".repeat(40_000_000)}"`) },
  huge_list: { text: () => `[${Array.from({ length: 400_000 }, (_, index) => variant(index + 1)).join(",")}]` },
  huge_numbers: { text: () => `[${variant(1, `,"more":${"9".repeat(10_000_000)}`)}]` },
  huge_error: { status: 422, text: () => `{"errors":{},"code":422,"message":"${"x".repeat(20_000_000)}"}` },
  huge_html: { text: () => `<!doctype html>${"<p>".repeat(10_000_000)}`, headers: { "content-type": "text/html" } },
  invented_fields: {
    text: () => {
      const fields = (record: number) =>
        Array.from({ length: 2_000 }, (_, index) => `"f${record}_${index}":1`).join(",");
      return `[${Array.from({ length: 100 }, (_, index) => variant(index + 1, `,${fields(index)}`)).join(",")}]`;
    },
  },
  invented_long_names: {
    text: () =>
      `[${Array.from({ length: 50 }, (_, index) => variant(index + 1, `,"${index}${"n".repeat(500_000)}":1`)).join(",")}]`,
  },
  invented_code: {
    text: () => {
      const records = Array.from({ length: 1_000 }, (_, index) =>
        variant(index + 1, index % 100 === 0 ? `,${CODE},${POLLUTING}` : ""),
      );
      return `[${records.join(",")}]`;
    },
  },
  long_identifier: { text: () => `[{"id":"${"i".repeat(1_000_000)}"}]` },
  retry_after_ages: { status: 429, headers: { "retry-after": "1000000000000" }, text: () => "{}" },
};
