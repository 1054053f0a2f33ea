import type { CatalogProduct } from "education-admin-sdk";

/** A course as a card of the list. */
export function card(course: CatalogProduct, category: string | undefined): HTMLLIElement {
  const item = document.createElement("li");
  item.className = "course";
  // Set by script, not as an attribute: a strict Content-Security-Policy allows the one and not the other.
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

/** Places of cards that are on their way. */
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
  // Decimal text goes in as it is: a number would round what is large or has many places.
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
