import ts from "typescript-api";

/** Returns the declaration of an exported name as code; for classes and interfaces only the head, because their members follow separately. */
export const codeOfName = ({ declarations = [] }: ts.Symbol): string => declarations.map(codeOf).join("\n");

/** Returns the declarations of a member as code, each overload on a separate line. */
export const codeOfMember = ({ declarations = [] }: ts.Symbol): string =>
  declarations.map((declaration) => plain(declaration.getText()).replace(/;$/, "")).join("\n");

const codeOf = (declaration: ts.Declaration): string => {
  if (ts.isClassDeclaration(declaration) || ts.isInterfaceDeclaration(declaration))
    return headOf(declaration);
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  return plain(statement.getText());
};

const headOf = (declaration: ts.ClassDeclaration | ts.InterfaceDeclaration): string => {
  const text = declaration.getText();
  const end = declaration.members.pos - declaration.getStart();
  const constructors = declaration.members.filter((member) => ts.isConstructorDeclaration(member));
  const inner = constructors.map((member) => `    ${plain(member.getText())}\n`).join("");
  const head = plain(text.slice(0, end)).replace(/\s*\{$/, "");
  return inner === "" ? head : `${head} {\n${inner}}`;
};

/** Returns code without comments and without the keywords that only declaration files have. */
const plain = (code: string): string =>
  code
    .replaceAll(/\/\*\*[\s\S]*?\*\/\s*/g, "")
    .replaceAll(/^export (declare )?|^declare /gm, "")
    .trim();
