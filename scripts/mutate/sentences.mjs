import { declareValuePlugin, PluginKind } from "@stryker-mutator/api/plugin";

// Two words in a row: a text for people. Which text appears is decided elsewhere and mutated there; its wording is free.
const SENTENCE = /[a-z]{2,} [a-z]{2,}/i;

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, "sentences", {
    shouldIgnore({ node }) {
      const texts =
        node.type === "StringLiteral"
          ? [node.value]
          : node.type === "TemplateLiteral"
            ? node.quasis.map((quasi) => quasi.value.raw)
            : [];
      return texts.some((text) => SENTENCE.test(text)) ? "the wording of a message" : undefined;
    },
  }),
];
