import { dirname, join } from "node:path";
import ts from "typescript";

/**
 * Finds types that a public signature mentions but no entry exports by name. Starting at every export of every entry,
 * it follows annotations, base types and members through the package's built declarations. Aliases that a module does
 * not export need no name.
 * @param folder the folder of the installed package.
 * @param entries the declaration files of the entry points, relative to the folder.
 * @returns the number of types checked, and a line such as `Foo (core/foo.d.ts), mentioned by Bar` for each type
 * without a name.
 */
export function unnamedTypes(folder: string, entries: readonly string[]): { checked: number; unnamed: string[] } {
  const files = entries.map((entry) => join(folder, entry));
  const program = ts.createProgram(files, {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    types: [],
    noEmit: true,
  });
  const checker = program.getTypeChecker();
  const dist = dirname(join(folder, entries[0] as string));
  const named = new Set<ts.Symbol>();
  const queue: ts.Symbol[] = [];
  for (const file of files) {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    if (!module) throw new Error(`${file} is no module`);
    for (const exported of checker.getExportsOfModule(module)) {
      const symbol = resolve(checker, exported);
      if (!named.has(symbol) && !symbol.declarations?.some(isHidden)) queue.push(symbol);
      named.add(symbol);
    }
  }
  const seen = new Set(queue);
  const unnamed = new Map<ts.Symbol, string>();
  for (let symbol = queue.pop(); symbol; symbol = queue.pop()) {
    for (const declaration of symbol.declarations ?? []) {
      for (const mentioned of mentions(declaration, checker)) {
        if (!isOurs(mentioned, dist) || seen.has(mentioned) || mentioned.declarations?.some(isHidden)) continue;
        seen.add(mentioned);
        queue.push(mentioned);
        if (named.has(mentioned) || isHelper(mentioned)) continue;
        const at = mentioned.declarations?.[0]?.getSourceFile().fileName.slice(dist.length + 1);
        unnamed.set(mentioned, `${mentioned.name} (${at}), mentioned by ${symbol.name}`);
      }
    }
  }
  return { checked: seen.size, unnamed: [...unnamed.values()].sort() };
}

function resolve(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

function isOurs(symbol: ts.Symbol, dist: string): boolean {
  const { declarations = [] } = symbol;
  return declarations.length > 0 && declarations.every((at) => at.getSourceFile().fileName.startsWith(`${dist}/`));
}

// An alias that its module does not export. If a declaration needs it, the compiler expands it.
function isHelper(symbol: ts.Symbol): boolean {
  return (symbol.declarations ?? []).every(
    (at) => ts.isTypeAliasDeclaration(at) && !at.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword),
  );
}

// Returns every named type below a node, except in private and internal members.
function mentions(root: ts.Node, checker: ts.TypeChecker): ts.Symbol[] {
  const found: ts.Symbol[] = [];
  const add = (name: ts.Node) => {
    const symbol = checker.getSymbolAtLocation(name);
    // Type parameters need no export; a member of a namespace import belongs to another package.
    if (symbol && !(symbol.flags & ts.SymbolFlags.TypeParameter)) found.push(resolve(checker, symbol));
  };
  const visit = (node: ts.Node): void => {
    if (isHidden(node)) return;
    if (ts.isTypeReferenceNode(node)) add(ts.isQualifiedName(node.typeName) ? node.typeName.right : node.typeName);
    else if (ts.isExpressionWithTypeArguments(node)) add(node.expression);
    else if (ts.isImportTypeNode(node) && node.qualifier) add(node.qualifier);
    // For `typeof schema` in a type alias, follows the schema, which needs no export itself.
    else if (ts.isTypeQueryNode(node)) {
      const symbol = checker.getSymbolAtLocation(node.exprName);
      if (symbol) for (const declaration of resolve(checker, symbol).declarations ?? []) follow(declaration);
    }
    ts.forEachChild(node, visit);
  };
  const followed = new Set<ts.Node>();
  const follow = (node: ts.Node) => {
    if (followed.has(node)) return;
    followed.add(node);
    visit(node);
  };
  follow(root);
  return found;
}

function isHidden(node: ts.Node): boolean {
  if (ts.isPrivateIdentifier((node as { name?: ts.Node }).name ?? node)) return true;
  if (ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword)) {
    return true;
  }
  return ts.getJSDocTags(node).some(({ tagName }) => ["internal", "hidden"].includes(tagName.text));
}
