const ADDRESSES = ["repository", "homepage", "bugs"] as const;

/** Required addresses missing from a manifest. npm compares the repository with the provenance of a release. */
export function openAddresses(manifest: Readonly<Record<string, unknown>>): string[] {
  return ADDRESSES.filter((name) => {
    const address = manifest[name];
    const url = typeof address === "object" && address !== null ? (address as { url?: unknown }).url : address;
    return typeof url !== "string" || !/^(git\+)?https:\/\/./.test(url);
  });
}
