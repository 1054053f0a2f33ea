/** The page on which somebody of the school agrees, with one click. @internal */
export function consentPage(application: string, url: URL): string {
  const refusal = new URL(url);
  refusal.searchParams.set("answer", "no");
  const form = (to: URL, text: string) =>
    `<form method="post" action="${escaped(to.pathname + to.search)}"><button>${text}</button></form>`;
  const title = `${escaped(application)} asks for access`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem}form{display:inline}button{font:inherit;padding:.4rem 1.2rem;margin-right:.5rem}</style>
<h1>${title}</h1>
<p>It may then read and change what this school has at ${escaped(url.host)}. This is a sandbox: nobody's data is at stake.</p>
${form(url, "Agree")}
${form(refusal, "Refuse")}
</html>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

/** The challenge of RFC 7636 for the verifier in a form; null without one. @internal */
export async function challengeIn(form: string): Promise<string | null> {
  const verifier = new URLSearchParams(form).get("code_verifier");
  if (verifier === null) return null;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier)));
  return btoa(String.fromCharCode(...digest))
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace(/=+$/, "");
}
