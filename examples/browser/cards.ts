import type { CatalogProduct } from "education-admin-sdk";

/** A course as a card of the list. */
export function card(course: CatalogProduct, category: string | undefined): HTMLLIElement {
  const item = document.createElement("li");
  item.className = "course";
  // Set by script, because a strict Content-Security-Policy forbids style attributes.
  item.style.setProperty("--hue", String((course.category_id * 67) % 360));
  const link = element("a", "", "Sign up");
  link.href = course.signup_url ?? "#";
  link.setAttribute("aria-label", `Sign up for ${course.name}`);
  const footer = element("footer");
  footer.append(element("span", "price", priceOf(course)), link);
  const [introduction] = course.course_tab_contents;
  item.append(
    element("div", "cover", category ?? ""),
    element("h2", "", course.name),
    element("p", "", introduction?.content ?? ""),
    footer,
  );
  return item;
}

/** Placeholders for cards that are being loaded. */
export function skeletons(count: number): HTMLLIElement[] {
  return Array.from({ length: count }, () => {
    const item = element("li", "course skeleton");
    item.setAttribute("aria-hidden", "true");
    return item;
  });
}

function priceOf({ cost, cost_scheme, currency }: CatalogProduct): string {
  if (cost_scheme === "free") return "Free";
  if (cost === null) return "Price on request";
  // Decimal text is passed unchanged: a number would round amounts that are large or have many decimals.
  const format = new Intl.NumberFormat(undefined, { style: "currency", currency });
  return format.format(cost as `${number}`);
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = "",
  text = "",
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}
