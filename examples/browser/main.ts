// A course catalog with search, loading states and endless scrolling. `byPage()` gives the next page when the end of the
// list scrolls into view, the library fetches one page ahead, and a new search aborts the old one.
import { type CatalogProduct, isEducationAdminError, type ListIterator, type Page } from "education-admin-sdk";
import { card, skeletons } from "./cards.ts";
import { client } from "./service.ts";

const PAGE_SIZE = 12;

const form = find("form", HTMLFormElement);
const list = find("#courses", HTMLUListElement);
const status = find("#status", HTMLParagraphElement);
const problem = find("#problem", HTMLDivElement);
const more = find("#more", HTMLButtonElement);

const categories = new Map<number, string>();

/** One search and the pages it has shown. */
interface Search {
  readonly pages: ListIterator<Page<CatalogProduct>>;
  readonly controller: AbortController;
  shown: number;
  busy: boolean;
  over: boolean;
}

// The cards show the names of categories; if they cannot be loaded, the courses are shown without them.
const named = nameCategories().catch(() => undefined);
let search = start();

function start(): Search {
  const values = new FormData(form);
  const text = String(values.get("search") ?? "").trim();
  const category = Number(values.get("category"));
  const controller = new AbortController();
  const query = {
    published: "published" as const,
    sort: ["position:asc" as const],
    per_page: PAGE_SIZE,
    ...(text !== "" && { search: text }),
    ...(category > 0 && { category_id: category }),
  };
  const pages = client.catalogProducts.list(query, { signal: controller.signal }).byPage();
  list.replaceChildren();
  return { pages, controller, shown: 0, busy: false, over: false };
}

async function showNextPage(): Promise<void> {
  const current = search;
  if (current.busy || current.over) return;
  current.busy = true;
  problem.hidden = true;
  more.hidden = true;
  list.setAttribute("aria-busy", "true");
  status.textContent = current.shown === 0 ? "Loading courses …" : `${current.shown} courses, loading more …`;
  const places = skeletons(PAGE_SIZE);
  list.append(...places);
  try {
    await named;
    const { done, value: page } = await current.pages.next();
    if (current !== search) return;
    const courses = done ? [] : page.records;
    current.shown += courses.length;
    current.over = done === true || !page.hasNext;
    list.append(...courses.map((course) => card(course, categories.get(course.category_id))));
    status.textContent = summary(current);
  } catch (error) {
    // A search that was replaced ends with an abort, which is not an error to show.
    if (current === search) showProblem(error);
  } finally {
    for (const place of places) place.remove();
    if (current === search) {
      current.busy = false;
      list.setAttribute("aria-busy", "false");
      more.hidden = current.over || !problem.hidden;
      watch();
    }
  }
}

function summary({ shown, over }: Search): string {
  if (shown === 0) return "No course matches. Try another word or all categories.";
  return over ? `All ${shown} courses` : `${shown} courses shown, scroll for more`;
}

// The iterator can be used after a failure: trying again requests the page that failed.
function showProblem(error: unknown): void {
  const reason = isEducationAdminError(error) ? error.message : "Something went wrong.";
  find("#problem p", HTMLParagraphElement).textContent = reason;
  problem.hidden = false;
  status.textContent = "The courses could not be loaded.";
}

function restart(): void {
  search.controller.abort();
  search = start();
  void showNextPage();
}

// Observing again reports at once whether the button is visible, so short pages are loaded until the window is full.
const observer = new IntersectionObserver(
  ([entry]) => {
    if (entry?.isIntersecting) void showNextPage();
  },
  { rootMargin: "400px" },
);

function watch(): void {
  observer.unobserve(more);
  if (!more.hidden) observer.observe(more);
}

let typing: ReturnType<typeof setTimeout> | undefined;
form.addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(restart, 250);
});
form.addEventListener("submit", (event) => event.preventDefault());
more.addEventListener("click", () => void showNextPage());
find("#problem button", HTMLButtonElement).addEventListener("click", () => void showNextPage());

void showNextPage();

async function nameCategories(): Promise<void> {
  const select = find("#category", HTMLSelectElement);
  for await (const { id, name } of client.categories.list()) {
    categories.set(id, name);
    select.add(new Option(name, String(id)));
  }
}

function find<T extends Element>(selector: string, type: new () => T): T {
  const found = document.querySelector(selector);
  if (!(found instanceof type)) throw new Error(`the page has no ${selector}`);
  return found;
}
