import { readFileSync } from "node:fs";

interface Component {
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly { readonly license?: { readonly id?: string }; readonly expression?: string }[];
}

const read = (file: string) => JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), "utf8"));

export function versionOfPackage(): string {
  return String(read("package.json").version);
}

/** The version, the platform, and the packages that this package needs or bundles. */
export function contentsOfPackage(): string {
  const { components } = read("dist/sbom.cdx.json") as { readonly components: readonly Component[] };
  const lines = components.map(({ name, version, licenses = [] }) =>
    [name, version, ...licenses.map(({ license, expression }) => license?.id ?? expression)].join(" "),
  );
  const platform = `Node ${process.versions.node}, ${process.platform} ${process.arch}`;
  return [versionOfPackage(), platform, ...lines.sort()].join("\n");
}
