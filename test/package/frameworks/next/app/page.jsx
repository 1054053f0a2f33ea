import { connection } from "next/server";
import { Suspense } from "react";
import { built, client } from "../school.js";
import { FirstPage } from "./first-page.jsx";

async function Cached() {
  const page = await cachedPage();
  return (
    <p>
      cached {page.records.map(({ name }) => name).join()}, next {String(page.hasNext)}
    </p>
  );
}

async function cachedPage() {
  "use cache";
  return await built.accounts.list({ per_page: 2 });
}

// Prerendering stops at this request.
async function Requested() {
  const { records } = await built.accounts.list({ per_page: 3 });
  return <p>requested {records.map(({ name }) => name).join()}</p>;
}

async function Live() {
  await connection();
  const { records } = await client.accounts.list({ per_page: 4 });
  return <p>live {records.map(({ name }) => name).join()}</p>;
}

// biome-ignore lint/style/noDefaultExport: Next takes pages and layouts so.
export default function Home() {
  return (
    <main>
      <Cached />
      <Suspense>
        <Requested />
      </Suspense>
      <Suspense>
        <Live />
      </Suspense>
      <FirstPage />
    </main>
  );
}
