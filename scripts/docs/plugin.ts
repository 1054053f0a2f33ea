// A TypeDoc plugin, named in typedoc.config.mjs.
import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import {
  type Application,
  Comment,
  type CommentDisplayPart,
  CommentTag,
  type Context,
  Converter,
  DeclarationReflection,
  type DocumentReflection,
  IndexEvent,
  type NormalizedPath,
  ReferenceType,
  ReflectionKind,
  SignatureReflection,
  type TranslatedString,
} from "typedoc";
import { ROOT } from "../lib/generated.ts";
import { API, chapterOf } from "./chapters.ts";
import { diagramsIn } from "./diagrams.ts";

/**
 * Sorts the site into chapters, shows each schema by the type it describes and diagrams as pictures. TypeDoc calls it by
 * this name.
 */
export function load(app: Application): void {
  app.renderer.on(IndexEvent.PREPARE_INDEX, rank);
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, (context: Context) => {
    describeEnumerations(context);
    for (const module of context.project.getReflectionsByKind(ReflectionKind.SomeModule)) {
      if (!(module instanceof DeclarationReflection)) continue;
      if (module.parent?.isProject()) addCategory(module, API);
      const types = typesOf(module);
      for (const exported of module.children ?? []) {
        const described = exported.kindOf(ReflectionKind.Variable) && types.get(exported.name);
        if (described) describeSchema(context, exported, described);
        categorize(context, exported);
      }
    }
    for (const signature of context.project.getReflectionsByKind(ReflectionKind.CallSignature)) {
      if (signature instanceof SignatureReflection) nameErrors(signature);
    }
    for (const document of context.project.documents ?? []) {
      const path = context.project.files.getReflectionPath(document);
      const chapter = path === undefined ? undefined : chapterOf(relative(ROOT, path));
      document.frontmatter.category = chapter ?? "Reference";
      nameByTitle(document);
      document.content = withoutLinksToSources(context, document.content);
      if (path !== undefined) document.content = withPictures(context, document.content, path);
    }
    if (context.project.readme) {
      // TypeDoc puts the same title above it.
      const [title, ...readme] = withoutLinksToSources(context, context.project.readme);
      const start = { ...title, text: title?.text.replace(/^# .+\n/, "") } as CommentDisplayPart;
      context.project.readme = [start, ...readme];
    }
  });
  // Behind TypeDoc's own plugin for categories: validation would take what is left for a docstring.
  app.converter.on(Converter.EVENT_RESOLVE_END, (context: Context) => removeCategories(context), -1_000);
}

// Where a name is exported a second time, its declaration is that of the first.
function categorize(context: Context, exported: DeclarationReflection): void {
  const target = exported.isReference() ? exported.getTargetReflectionDeep() : exported;
  const file = context.getSymbolFromReflection(target)?.declarations?.[0]?.getSourceFile().fileName;
  const chapter = file === undefined ? undefined : chapterOf(relative(ROOT, file));
  if (chapter === undefined) return;
  addCategory(exported, chapter);
}

function addCategory(reflection: DeclarationReflection, chapter: string): void {
  const content: CommentDisplayPart[] = [{ kind: "text", text: chapter }];
  reflection.comment ??= new Comment();
  reflection.comment.blockTags.push(new CommentTag("@category", content));
}

// TypeDoc calls a document by its path.
function nameByTitle(document: DocumentReflection): void {
  for (const part of document.content) {
    const title = part.kind === "text" ? /^# (.+)$/m.exec(part.text)?.[1] : undefined;
    if (title === undefined) continue;
    document.name = title;
    return;
  }
}

// Readers search for what to do. By itself TypeDoc finds names first, and the fields of types above all.
function rank(event: IndexEvent): void {
  Object.assign(event.searchFieldWeights, { name: 10, comment: 2, document: 10 });
  for (const result of event.searchResults) {
    if (result.isDocument() && result.frontmatter.category === "Guides") result.relevanceBoost = 22;
    else if (result.kindOf(ReflectionKind.Class)) result.relevanceBoost = 3;
    else if (result.kindOf(ReflectionKind.ClassMember)) result.relevanceBoost = 0.05;
  }
}

// Calls and lists say once which errors all methods that return them throw; the site repeats it at every such method.
function nameErrors({ comment, type }: SignatureReflection): void {
  if (!comment || comment.getTag("@throws") || type?.type !== "reference") return;
  const returned = type.reflection;
  if (!returned?.kindOf(ReflectionKind.Class) || !["Call", "Pages"].includes(returned.name)) return;
  comment.blockTags.push(...(returned.comment?.getTags("@throws") ?? []).map((tag) => tag.clone()));
}

function removeCategories(context: Context): void {
  for (const reflection of Object.values(context.project.reflections)) {
    reflection.comment?.removeTags("@category");
    if (reflection.comment && !reflection.comment.hasVisibleComponent()) delete reflection.comment;
  }
}

// The site holds documents and pictures, no copies of programs: of a link to one, its text stays.
function withoutLinksToSources(context: Context, parts: readonly CommentDisplayPart[]): CommentDisplayPart[] {
  const kept: CommentDisplayPart[] = [];
  let isUnlinked = false;
  for (const part of parts) {
    // Markdown writes `[words](target)`: the part before ends in `[words](`, the one after begins with `)`.
    const text = isUnlinked ? part.text.replace(/^\)/, "") : part.text;
    isUnlinked = false;
    const match = isSource(context, part) && /^([\s\S]*)\[([^\]]*)\]\($/.exec(kept.at(-1)?.text ?? "");
    if (match) {
      kept.splice(-1, 1, { kind: "text", text: `${match[1]}${match[2]}` });
      isUnlinked = true;
    } else {
      kept.push({ ...part, text } as CommentDisplayPart);
    }
  }
  return kept;
}

function isSource(context: Context, part: CommentDisplayPart): boolean {
  if (part.kind !== "relative-link" || part.target === undefined) return false;
  const target = context.project.files.resolve(part.target, context.project);
  return typeof target === "string" && !/\.(md|svg|png)$/.test(target);
}

// The site draws no mermaid: the diagrams of a document are pictures there.
function withPictures(
  { project, logger }: Context,
  parts: readonly CommentDisplayPart[],
  document: NormalizedPath,
): CommentDisplayPart[] {
  const isDiagram = ({ kind, text }: CommentDisplayPart) => kind === "code" && text.startsWith("```mermaid\n");
  if (!parts.some(isDiagram)) return [...parts];
  const diagrams = diagramsIn(readFileSync(document, "utf8"));
  return parts.flatMap((part) => {
    const diagram = isDiagram(part) ? diagrams.find(({ source }) => part.text.includes(source)) : undefined;
    if (!diagram) return part;
    if (!existsSync(ROOT + diagram.file))
      logger.warn(`${diagram.file} is missing: run npm run docs:diagrams` as TranslatedString);
    const { target } = project.files.registerAbsolute(`${ROOT}${diagram.file}` as NormalizedPath);
    return [
      { kind: "text", text: `![${diagram.title}](` },
      { kind: "relative-link", text: diagram.file, target, targetAnchor: undefined },
      { kind: "text", text: ")" },
    ] satisfies CommentDisplayPart[];
  });
}

// What is said of an enumeration holds for the type of its values, too.
function describeEnumerations({ project }: Context): void {
  const variables = new Map(
    project.getReflectionsByKind(ReflectionKind.Variable).map((variable) => [variable.name, variable]),
  );
  for (const alias of project.getReflectionsByKind(ReflectionKind.TypeAlias)) {
    const said = variables.get(alias.name)?.comment;
    if (said) alias.comment ??= said.clone();
  }
}

/** The records and inputs of a module, by the names of their schemas. */
function typesOf(module: DeclarationReflection): Map<string, DeclarationReflection> {
  const types = new Map<string, DeclarationReflection>();
  for (const exported of module.children ?? []) {
    const target = exported.isReference() ? exported.getTargetReflectionDeep() : exported;
    if (!(target instanceof DeclarationReflection) || !target.kindOf(TYPES)) continue;
    types.set(`${exported.name.charAt(0).toLowerCase()}${exported.name.slice(1)}Schema`, target);
  }
  return types;
}

const TYPES = ReflectionKind.Interface | ReflectionKind.TypeAlias;

// The whole type repeats every field as zod calls it; what reads best is its supertype.
function describeSchema(context: Context, schema: DeclarationReflection, described: DeclarationReflection): void {
  const type = ReferenceType.createBrokenReference("ZodMiniType", context.project, "zod");
  type.typeArguments = [ReferenceType.createResolvedReference(described.name, described, context.project)];
  schema.type = type;
  schema.comment ??= new Comment([
    { kind: "text", text: "Schema of " },
    { kind: "inline-tag", tag: "@link", text: described.name, target: described },
    { kind: "text", text: "." },
  ]);
}
