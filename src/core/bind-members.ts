interface MemberNames {
  readonly methods: readonly string[];
  readonly getters: readonly string[];
}

// Read once per class: walking prototypes costs more than binding what they hold. Only the names, because a test or an
// agent may patch a prototype at any time.
const namesOf = /* @__PURE__ */ new WeakMap<object, MemberNames>();

/**
 * Gives an instance its own methods, bound to it. They then work detached (`const { get } = client.accounts`) and behind
 * a Proxy, whose own `this` has no private fields. They are not enumerable, so a printout does not list them.
 */
export function bindMethods(instance: object): void {
  const prototype = Object.getPrototypeOf(instance);
  for (const name of read(prototype).methods) {
    const method: unknown = prototype[name];
    if (typeof method !== "function") continue;
    Object.defineProperty(instance, name, { value: method.bind(instance), configurable: true, writable: true });
  }
}

/** Does the same for getters. Own getters make an object slow to build, so only what has them behind a Proxy asks. */
export function bindGetters(instance: object): void {
  const prototype = Object.getPrototypeOf(instance);
  for (const name of read(prototype).getters) {
    Object.defineProperty(instance, name, { get: () => Reflect.get(prototype, name, instance), configurable: true });
  }
}

function read(start: object): MemberNames {
  const known = namesOf.get(start);
  if (known) return known;
  const kinds = new Map<string, "method" | "getter" | "other">([["constructor", "other"]]);
  for (let at: object | null = start; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const [name, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (!kinds.has(name)) kinds.set(name, typeof value === "function" ? "method" : get ? "getter" : "other");
    }
  }
  const named = (kind: string) => [...kinds].filter(([, of]) => of === kind).map(([name]) => name);
  const names = { methods: named("method"), getters: named("getter") };
  namesOf.set(start, names);
  return names;
}
