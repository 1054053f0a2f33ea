import ts from "typescript";

/** The columns of a collection, or of a record, in the seeds of the sandbox. */
export function columnsOf(
  source: ts.SourceFile,
  collection: string | undefined,
  record: string,
): ts.ObjectLiteralExpression | null {
  let found: ts.ObjectLiteralExpression | null = null;
  visit(source, (node) => {
    if (
      ts.isPropertyAssignment(node) &&
      node.name.getText() === collection &&
      ts.isObjectLiteralExpression(node.initializer)
    ) {
      const columns = propertyOf(node.initializer, "columns");
      if (columns && ts.isObjectLiteralExpression(columns)) found = columns;
    }
    if (ts.isNewExpression(node)) {
      const [, schema, view] = node.arguments ?? [];
      const isRecord = schema?.getText() === `schemas.${record.charAt(0).toLowerCase()}${record.slice(1)}Schema`;
      if (isRecord && view && ts.isObjectLiteralExpression(view)) found = view;
    }
    const isOfRecord = new RegExp(`^Columns<(sdk\\.)?(Admin|Stored)?${record}>$`);
    if (ts.isVariableDeclaration(node) && isOfRecord.test(node.type?.getText() ?? "")) {
      if (node.initializer && ts.isObjectLiteralExpression(node.initializer)) found = node.initializer;
    }
    if (ts.isFunctionDeclaration(node) && isOfRecord.test(node.type?.getText() ?? "")) {
      const given = node.body?.statements.findLast((one) => ts.isReturnStatement(one));
      if (given?.expression && ts.isObjectLiteralExpression(given.expression)) found = given.expression;
    }
  });
  return found;
}

/** The object that an expression is, returns or passes on. */
export function firstLiteral(node: ts.Node): ts.ObjectLiteralExpression | null {
  if (ts.isObjectLiteralExpression(node)) return node;
  if (ts.isCallExpression(node)) return node.arguments.map(firstLiteral).find((one) => one !== null) ?? null;
  if (ts.isArrowFunction(node) || ts.isParenthesizedExpression(node))
    return firstLiteral(ts.isArrowFunction(node) ? node.body : node.expression);
  return null;
}

export function propertyNodeOf(
  literal: ts.ObjectLiteralExpression,
  name: string,
): ts.ObjectLiteralElementLike | undefined {
  return literal.properties.find((one) => one.name?.getText() === name);
}

export function propertyOf(literal: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
  const found = propertyNodeOf(literal, name);
  return found && ts.isPropertyAssignment(found) ? found.initializer : undefined;
}

export function visit(node: ts.Node, see: (node: ts.Node) => void): void {
  see(node);
  ts.forEachChild(node, (inner) => visit(inner, see));
}
