// Two words in a row indicate a text for people. Its wording may change; the code that chooses the text is mutated
// elsewhere.
const SENTENCE = /[a-z]{2,} [a-z]{2,}/i;

/** Makes Stryker skip the wording of messages. */
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
