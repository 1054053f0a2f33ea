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
    text: "Your school's administration, in TypeScript",
    tagline:
      "Enroll people, plan courses, invoice and export with 216 typed operations. Try them without an account: the sandbox is the service in memory.",
    actions: [
      { theme: "brand", text: "First program", link: "/docs/guides/getting-started" },
      { theme: "alt", text: "What do you want to do?", link: "/docs/guides/choose" },
      { theme: "alt", text: "All operations", link: "/docs/operations" },
    ],
  },
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
    // The theme's label is another text than the link, which speech users would have to say.
    notFound: { linkLabel: "Take me home" },
    nav: [
      { text: "Guides", link: "/docs/guides/README", activeMatch: "^/docs/guides/" },
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
