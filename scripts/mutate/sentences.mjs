// Two words in a row: a text for people. Which text appears is decided elsewhere and mutated there; its wording is free.
const SENTENCE = /[a-z]{2,} [a-z]{2,}/i;

/** Makes Stryker leave the wording of messages alone. */
export const strykerPlugins = [
  {
    kind: "Ignore",
    name: "sentences",
    value: {
      shouldIgnore({ node }) {
        let texts = [];
        if (node.type === "StringLiteral") texts = [node.value];
        if (node.type === "TemplateLiteral") texts = node.quasis.map((quasi) => quasi.value.raw);
        return texts.some((text) => SENTENCE.test(text)) ? "the wording of a message" : undefined;
      },
    },
  },
];
