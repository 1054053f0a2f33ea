/** The files of an application of each framework: a receiver, a proxy and a page that calls, all made by `school.mjs`. */

interface Application {
  /** By path, beside `school.mjs`. */
  readonly files: Readonly<Record<string, string>>;
  /** The program that builds it, in node_modules, and its arguments; null for a program that the application has. */
  readonly build: readonly [program: string, ...args: string[]];
  /** A file that the build writes. */
  readonly built: string;
}

/** The module that every application imports. `FOLDER` stands for the folder of its databases. */
export const SCHOOL: string = `
import { appendFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { MainClient } from "education-admin-sdk";
import { mirror, sqlite } from "education-admin-sdk/mirror";
import { createProxyHandler } from "education-admin-sdk/proxy";
import { webhookInbox } from "education-admin-sdk/stores/sqlite";
import { createWebhookHandler } from "education-admin-sdk/webhooks";

export const client = new MainClient();
export const proxy = createProxyHandler(client, { allow: ["courses.list"] });
export const copy = mirror(client, sqlite(() => new DatabaseSync("FOLDER/mirror.sqlite")), { resources: ["courses"] });
export const receiver = createWebhookHandler({
  signature: { secrets: () => process.env.WEBHOOK_SECRET },
  store: webhookInbox(() => new DatabaseSync("FOLDER/inbox.sqlite")),
  onEvent: ({ event_data }) => appendFileSync("FOLDER/handled", event_data.id + "\\n"),
});
appendFileSync("FOLDER/loaded", process.pid + "\\n");
`;

export const APPLICATIONS: Readonly<Record<string, Application>> = {
  Next: {
    files: {
      "next.config.mjs": "export default { cacheComponents: true };",
      "app/layout.jsx": "export default ({ children }) => <html lang='en'><body>{children}</body></html>;",
      "app/page.jsx": `
        import { Suspense } from "react";
        import { client } from "../school.mjs";
        async function Courses() {
          const { records } = await client.courses.list({ per_page: 3 });
          return <ul>{records.map(({ id, name }) => <li key={id}>{name}</li>)}</ul>;
        }
        export default () => <Suspense fallback="…"><Courses /></Suspense>;`,
      "app/webhooks/route.js": `
        import { receiver } from "../../school.mjs";
        export const POST = (request) => receiver(request);`,
      "app/api/[...path]/route.js": `
        import { proxy } from "../../../school.mjs";
        export const GET = (request) => proxy(request);`,
      "app/copied/route.js": `
        import { copy } from "../../school.mjs";
        export const POST = async () => Response.json(await copy.sync());`,
    },
    build: ["next/dist/bin/next", "build"],
    built: ".next/BUILD_ID",
  },
  SvelteKit: {
    files: {
      "package.json": '{ "type": "module" }',
      "vite.config.js": `
        import { sveltekit } from "@sveltejs/kit/vite";
        export default { plugins: [sveltekit()] };`,
      "src/app.html":
        "<!doctype html><html lang='en'><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>",
      "src/routes/+page.svelte":
        "<script>let { data } = $props();</script>{#each data.names as name}<p>{name}</p>{/each}",
      "src/routes/+page.server.js": `
        import { client } from "../../school.mjs";
        export const load = async () => ({ names: (await client.courses.list({ per_page: 3 })).records.map(({ name }) => name) });`,
      "src/routes/about/+page.server.js": `
        import "../../../school.mjs";
        export const prerender = true;`,
      "src/routes/about/+page.svelte": "<p>About</p>",
      "src/routes/webhooks/+server.js": `
        import { receiver } from "../../../school.mjs";
        export const POST = ({ request }) => receiver(request);`,
      "src/routes/api/[...path]/+server.js": `
        import { proxy } from "../../../../school.mjs";
        export const GET = ({ request }) => proxy(request);`,
    },
    build: ["vite/bin/vite.js", "build"],
    built: ".svelte-kit/output/server/index.js",
  },
  Nuxt: {
    files: {
      "package.json": '{ "type": "module" }',
      "nuxt.config.mjs": `
        export default {
          compatibilityDate: "2026-01-01",
          telemetry: false,
          nitro: { prerender: { routes: ["/about"] } },
        };`,
      "app/app.vue":
        "<template><p>{{ data }}</p></template><script setup>const { data } = await useFetch('/courses', { server: false });</script>",
      "server/plugins/school.js": `
        import { copy } from "~~/school.mjs";
        export default (application) => Object.assign(application, { copy });`,
      "server/routes/courses.get.js": `
        import { client } from "~~/school.mjs";
        export default defineEventHandler(() => client.courses.list({ per_page: 3 }));`,
      "server/routes/webhooks.post.js": `
        import { receiver } from "~~/school.mjs";
        export default defineEventHandler((event) => receiver(toWebRequest(event)));`,
      "server/routes/api/[...].get.js": `
        import { proxy } from "~~/school.mjs";
        export default defineEventHandler((event) => proxy(toWebRequest(event)));`,
    },
    build: ["nuxt/bin/nuxt.mjs", "build"],
    built: ".output/server/index.mjs",
  },
  Astro: {
    files: {
      "package.json": '{ "type": "module" }',
      "astro.config.mjs": `
        import node from "@astrojs/node";
        export default { adapter: node({ mode: "standalone" }) };`,
      "src/pages/about.astro": "---\nimport '../../school.mjs';\n---\n<p>About</p>",
      "src/pages/index.astro":
        "---\nimport { client } from '../../school.mjs';\nexport const prerender = false;\nconst { records } = await client.courses.list({ per_page: 3 });\n---\n{records.map(({ name }) => <p>{name}</p>)}",
      "src/pages/webhooks.js": `
        import { receiver } from "../../school.mjs";
        export const prerender = false;
        export const POST = ({ request }) => receiver(request);`,
      "src/pages/api/[...path].js": `
        import { proxy } from "../../../school.mjs";
        export const prerender = false;
        export const GET = ({ request }) => proxy(request);`,
    },
    build: ["astro/bin/astro.mjs", "build"],
    built: "dist/server/entry.mjs",
  },
  "React Router": {
    files: {
      // Without isbot, the build installs it.
      "package.json": '{ "type": "module", "dependencies": { "isbot": "5" } }',
      "vite.config.mjs": `
        import { reactRouter } from "@react-router/dev/vite";
        export default { plugins: [reactRouter()] };`,
      "react-router.config.mjs": 'export default { ssr: true, prerender: ["/about"] };',
      "app/routes.js": `
        import { index, route } from "@react-router/dev/routes";
        export default [
          index("courses.jsx"),
          route("about", "about.jsx"),
          route("webhooks", "webhooks.js"),
          route("api/*", "api.js"),
        ];`,
      "app/root.jsx": `
        import { Outlet, Scripts } from "react-router";
        export default () => <html lang="en"><body><Outlet /><Scripts /></body></html>;`,
      "app/courses.jsx": `
        import { client } from "../school.mjs";
        export const loader = async () => (await client.courses.list({ per_page: 3 })).records;
        export default ({ loaderData }) => loaderData.map(({ id, name }) => <p key={id}>{name}</p>);`,
      "app/about.jsx": "export default () => <p>About</p>;",
      "app/webhooks.js": `
        import { receiver } from "../school.mjs";
        export const action = ({ request }) => receiver(request);`,
      "app/api.js": `
        import { proxy } from "../school.mjs";
        export const loader = ({ request }) => proxy(request);`,
    },
    build: ["@react-router/dev/bin.cjs", "build"],
    built: "build/server/index.js",
  },
  // A build of Nest compiles without loading any module. This program makes the application, as builds with an OpenAPI
  // document do.
  Nest: {
    files: {
      "package.json": '{ "type": "module" }',
      "routes.mjs": `
        import "reflect-metadata";
        import { writeFileSync } from "node:fs";
        import { Controller, Get, Inject, Module, Post, Req } from "@nestjs/common";
        import { NestFactory } from "@nestjs/core";
        import { client, copy, proxy, receiver } from "./school.mjs";
        class School {
          courses() { return client.courses.list({ per_page: 3 }); }
          webhooks(request) { return receiver(request); }
        }
        const descriptorOf = (name) => Object.getOwnPropertyDescriptor(School.prototype, name);
        Get("courses")(School.prototype, "courses", descriptorOf("courses"));
        Post("webhooks")(School.prototype, "webhooks", descriptorOf("webhooks"));
        Req()(School.prototype, "webhooks", 0);
        Controller()(School);
        class Application {}
        const provided = Object.entries({ client, copy, proxy, receiver });
        Module({ controllers: [School], providers: provided.map(([provide, useValue]) => ({ provide, useValue })) })(Application);
        const application = await NestFactory.create(Application, { rawBody: true, logger: ["error"] });
        await application.init();
        writeFileSync("routes.json", JSON.stringify(provided.map(([name]) => typeof application.get(name))));
        await application.close();`,
    },
    build: ["./routes.mjs"],
    built: "routes.json",
  },
};
