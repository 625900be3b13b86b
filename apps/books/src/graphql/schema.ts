/** The lending ledger for GraphQL clients. */
export const LENDING_SCHEMA = `
  type Query {
    "Books that are lent, to everyone or to one member, in the order of their ids: 1000 at most, the next page is \`after\` the last book."
    shelf(member: String, after: Int, token: String): [ShelfEntry!]!
    "Loans of the books that were lent most often, and of the last months."
    statistics(token: String): Statistics!
  }

  type Mutation {
    "Lends a book; a call that is repeated with its idempotency key is one loan."
    borrow(book: Int!, member: String!, idempotencyKey: String): Borrowed!
    "Takes a lent book back."
    giveBack(book: Int!, idempotencyKey: String): Returned!
  }

  type Subscription {
    "Changes of the ledger from now on, or all \`after\` the position of an earlier one."
    loanChanges(after: String): LoanChange!
  }

  "A loan. A query with its token sees it."
  type Borrowed { book: Int! member: String! dueAt: String! token: String }
  "A return. A query with its token sees it."
  type Returned { book: Int! token: String }
  type ShelfEntry { book: Int! title: String! member: String! dueAt: String! isReminded: Boolean! }
  type Statistics { books: [BookLoans!]! months: [MonthLoans!]! }
  type BookLoans { book: Int! loans: Int! }
  type MonthLoans { month: String! loans: Int! }

  enum LoanChangeKind { BORROWED RETURNED REMINDED }
  type LoanChange { kind: LoanChangeKind! book: Int! member: String! position: String! }
`;
