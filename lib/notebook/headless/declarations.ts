/** What a parameter's default is: what is given for it must be of the same kind. */
export type ParameterKind = "number" | "string" | "boolean" | "list" | "object" | "any";

/** A parameter as a notebook declares it. */
export interface Declaration {
  /** Its name. */
  readonly name: string;
  /** How it is declared: the kernel lets a name be declared again only in the same way. */
  readonly keyword: "let" | "const" | "var";
  /** The kind of its default; `any` where it is `null` or computed. */
  readonly kind: ParameterKind;
}

/** As much of a syntax tree as is looked at. */
interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

/**
 * The variables that a cell declares at its top level.
 *
 * @param code the cell, TypeScript
 * @returns its declarations, in order
 * @throws {SyntaxError} the code cannot be parsed
 */
export async function declarationsIn(code: string): Promise<Declaration[]> {
  const { parse } = await import("@babel/parser");
  const { program } = parse(code, {
    sourceType: "module",
    plugins: ["typescript"],
    allowAwaitOutsideFunction: true,
    // The kernel lets a name be declared again, which is an error for the parser.
    errorRecovery: true,
  });
  return (program.body as unknown as Node[]).flatMap((statement) => {
    if (statement.type !== "VariableDeclaration") return [];
    const keyword = statement.kind as Declaration["keyword"];
    return (statement.declarations as Node[]).flatMap(({ id, init }) =>
      namesIn(id as Node).map((name) => ({
        name,
        keyword,
        kind: (id as Node).type === "Identifier" ? kindOf(init as Node | null) : "any",
      }))
    );
  });
}

/** The names that a pattern binds. */
function namesIn(pattern: Node): string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name as string];
    case "ObjectPattern":
      return (pattern.properties as Node[]).flatMap((one) => namesIn((one.argument ?? one.value) as Node));
    case "ArrayPattern":
      return (pattern.elements as (Node | null)[]).flatMap((one) => one ? namesIn(one) : []);
    case "AssignmentPattern":
      return namesIn(pattern.left as Node);
    case "RestElement":
      return namesIn(pattern.argument as Node);
    default:
      return [];
  }
}

function kindOf(init: Node | null): ParameterKind {
  switch (init?.type) {
    case "NumericLiteral":
      return "number";
    case "StringLiteral":
    case "TemplateLiteral":
      return "string";
    case "BooleanLiteral":
      return "boolean";
    case "ArrayExpression":
      return "list";
    case "ObjectExpression":
      return "object";
    case "UnaryExpression":
      return ["-", "+"].includes(init.operator as string) ? kindOf(init.argument as Node) : "any";
    case "TSAsExpression":
    case "TSSatisfiesExpression":
      return kindOf(init.expression as Node);
    default:
      return "any";
  }
}
