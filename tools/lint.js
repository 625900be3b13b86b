const SCREAMING = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/;

/** Whether an expression is a number, string or regular expression, or arithmetic of them. */
const isLiteral = (node) => {
  switch (node?.type) {
    case "Literal":
      return node.value === null ? node.regex !== undefined : typeof node.value !== "boolean";
    case "TemplateLiteral":
      return node.expressions.length === 0;
    case "UnaryExpression":
      return isLiteral(node.argument);
    case "BinaryExpression":
      return isLiteral(node.left) && isLiteral(node.right);
    default:
      return false;
  }
};

const hiddenMembers = {
  create: (context) => ({
    PrivateIdentifier(node) {
      context.report({ node, message: `Hide a member with \`private\`, not with \`#${node.name}\`.` });
    },
  }),
};

/** Returns the top-level declarators of the module, exported or not. */
const declarators = ({ body }) =>
  body
    .map((statement) => (statement.type === "ExportNamedDeclaration" ? statement.declaration : statement))
    .flatMap((statement) =>
      statement?.type === "VariableDeclaration" && statement.kind === "const" ? statement.declarations : [],
    );

const constantCase = {
  create: (context) => ({
    Program(program) {
      for (const { id, init } of declarators(program)) {
        if (id.type !== "Identifier" || init === null) continue;
        const isScreaming = SCREAMING.test(id.name);
        if (isLiteral(init) && !isScreaming)
          context.report({ node: id, message: `\`${id.name}\` is a literal: write it in SCREAMING_CASE.` });
        if (!isLiteral(init) && isScreaming && id.name.length > 1)
          context.report({ node: id, message: `\`${id.name}\` is not a literal: write it in camelCase.` });
      }
    },
  }),
};

export default {
  meta: { name: "house" },
  rules: { "hidden-members": hiddenMembers, "constant-case": constantCase },
};
