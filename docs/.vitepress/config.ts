// The documentation site, `npm run docs`: the guides, and the API as scripts/docs/write-api.ts writes it.
import { copyFileSync, readFileSync } from "node:fs";
import { type DefaultTheme, defineConfig } from "vitepress";
import { ROOT } from "../../scripts/lib/generated.ts";
import { guides } from "../../scripts/lib/guides.ts";
import { adapt } from "./markdown.ts";
import { indexedText, SEARCH_OPTIONS } from "./search.ts";

const MORE: Readonly<Record<string, readonly DefaultTheme.SidebarItem[]>> = {
  Reference: [
    { text: "All operations", link: "/docs/operations" },
    { text: "Every option", link: "/docs/options" },
    { text: "What becomes of a row", link: "/docs/bulk-rows" },
    { text: "What the sandbox assumes", link: "/docs/sandbox-assumptions" },
    { text: "Performance", link: "/docs/performance" },
    { text: "API", link: "/docs/api/index" },
  ],
  Help: [{ text: "Examples", link: "/examples/README" }],
};

const LANDING = {
  layout: "home",
  hero: {
    text: "A school's administration, from TypeScript",
    tagline:
      "Enroll students, plan courses, invoice, export: 216 typed operations, and the service in memory to try them.",
    actions: [
      { theme: "brand", text: "First program", link: "/docs/guides/getting-started" },
      { theme: "alt", text: "What a school does", link: "/docs/guides/enroll" },
      { theme: "alt", text: "API", link: "/docs/api/index" },
    ],
  },
  features: [
    {
      title: "The acts of a school",
      details:
        "Enroll people, mark attendance, invoice and credit, remind, publish: a program for each, that may be started again after any crash.",
      link: "/docs/guides/enroll",
    },
    {
      title: "Files and copies",
      details: "Lists to CSV, CSV into the school with a plan to agree to, a database that equals the service.",
      link: "/docs/guides/choose",
    },
    {
      title: "Nothing twice or lost",
      details: "Limits are kept, what is harmless is retried, and of a write whose response was lost you are told.",
      link: "/docs/guides/retries",
    },
    {
      title: "In your program",
      details: "A script, a nightly job, Next, Hono or Workers: begin with a page that runs.",
      link: "/docs/guides/start",
    },
  ],
};

// biome-ignore lint/style/noDefaultExport: VitePress reads the default export.
export default defineConfig({
  title: "education-admin-sdk",
  description: "Typed client for the APIs of an education administration service",
  lang: "en",
  head: [["script", { type: "module", src: "/run/buttons.js" }]],
  srcDir: "..",
  outDir: "site",
  srcExclude: ["{.changeset,.artefacts,api,skills,test}/**", "**/node_modules/**", "docs/site/**"],
  // Relative links are written for the repository, so pages keep its paths.
  rewrites: { "README.md": "index.md" },
  // README.md is the landing page below a head that says in a glance what the library is for.
  transformPageData: ({ relativePath, frontmatter }) =>
    relativePath === "index.md"
      ? { title: "", titleTemplate: undefined, frontmatter: { ...frontmatter, ...LANDING } }
      : undefined,
  markdown: {
    config: adapt,
    // By default the colors of a line end after half a second, so that a busy machine would write other pages.
    codeTransformers: [{ preprocess: (_, options) => void Object.assign(options, { tokenizeTimeLimit: 0 }) }],
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
  },
  // What assistants read lies where they look for it.
  buildEnd: ({ outDir }) => {
    for (const file of ["llms.txt", "llms-full.txt"]) copyFileSync(ROOT + file, `${outDir}/${file}`);
  },
  // A first visit loads the page and nothing ahead of it.
  router: { prefetchLinks: false },
  themeConfig: {
    outline: [2, 3],
    nav: [
      { text: "Guides", link: "/docs/guides/getting-started", activeMatch: "^/docs/guides/" },
      { text: "API", link: "/docs/api/index", activeMatch: "^/docs/api/" },
    ],
    sidebar: { "/docs/api/": apiSidebar(), "/": guideSidebar() },
    search: {
      provider: "local",
      options: {
        detailedView: true,
        _render: (source, env, md) => md.render(indexedText(source, env.relativePath), env),
        miniSearch: { searchOptions: SEARCH_OPTIONS },
      },
    },
  },
});

function guideSidebar(): DefaultTheme.SidebarItem[] {
  return [...Map.groupBy(guides(), ({ group }) => group)].map(([text, pages]) => ({
    text,
    items: [
      ...pages.map(({ title, file }) => ({ text: title, link: `/${file.replace(/\.md$/, "")}` })),
      ...(MORE[text] ?? []),
    ],
  }));
}

function apiSidebar(): DefaultTheme.SidebarItem[] {
  const groups = JSON.parse(readFileSync(`${ROOT}docs/api/pages.json`, "utf8")) as Readonly<
    Record<string, readonly { readonly name: string; readonly path: string }[]>
  >;
  return Object.entries(groups).map(([text, pages]) => ({
    text,
    items: pages.map(({ name, path }) => ({ text: name, link: `/docs/api/${path}` })),
  }));
}
