import { join } from "node:path";
import ts from "typescript";
import { root } from "./code-blocks.ts";

/**
 * What a program takes from the package: the names in it that the package's declarations declare, and the entries it imports.
 * Who writes such a program from a text must find each of them there.
 */
export function libraryWords(files: readonly string[]): Map<string, ReadonlySet<string>> {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, files, include: [] }, ts.sys, root);
  const program = ts.createProgram(files, options);
  const checker = program.getTypeChecker();
  const dist = join(root, "dist/");
  const isInDist = ({ declarations = [] }: ts.Symbol) =>
    declarations.some((declaration) => declaration.getSourceFile().fileName.startsWith(dist));
  const isOurs = (node: ts.Node): boolean => {
    const symbol = checker.getSymbolAtLocation(node);
    if (!symbol) return false;
    return isInDist(symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
  };
  return new Map(
    files.map((file) => {
      const words = new Set<string>();
      const visit = (node: ts.Node): void => {
        if (ts.isStringLiteral(node) && node.text.startsWith("education-admin-sdk/")) words.add(node.text.slice(19));
        // `{ student }` in a pattern declares a name of the program's own; the property it names is asked for here.
        if (ts.isBindingElement(node)) {
          const name = node.propertyName ?? node.name;
          const property = ts.isIdentifier(name) && checker.getTypeAtLocation(node.parent).getProperty(name.text);
          if (property && isInDist(property)) {
            words.add(property.name);
          }
        } else if (ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node)) {
          const expected = checker.getContextualType(node.parent as ts.ObjectLiteralExpression);
          const property = expected?.getProperty(node.name.getText().replaceAll('"', ""));
          if (property?.declarations?.some((one) => one.getSourceFile().fileName.startsWith(dist)))
            words.add(property.name);
        } else if (ts.isIdentifier(node) && isOurs(node)) words.add(node.text);
        ts.forEachChild(node, visit);
      };
      const source = program.getSourceFile(file);
      if (source) visit(source);
      return [file, words];
    }),
  );
}
