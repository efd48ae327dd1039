// Kinds of work that three agents do, each with what goes wrong until the lesson is learned. `{…}` is drawn for each run.
//
// A family says which words its tasks come in, which tools a run calls when it goes well (`right`) and when it does not (`wrong`), what
// the reviewer says then, and how often a run succeeds without and with the lesson.

export const VALUES = {
  order: ["4411", "88213", "10592", "73004", "55871", "20167"],
  customer: [
    "Nora Lindqvist",
    "Marek Dvořák",
    "Aisha Rahman",
    "Tom Becker",
    "Lucía Fernández",
    "Jun Sato",
    "Ines Moreau",
  ],
  city: ["Rotterdam", "Leeds", "Graz", "Porto", "Tampere", "Brno"],
  product: ["AeroPress kit", "trail jacket", "desk lamp", "wireless keyboard", "cast-iron pan", "bike light"],
  quarter: ["Q1", "Q2", "Q3", "last quarter", "this quarter"],
  month: ["August", "September", "October", "November"],
  service: ["checkout", "billing", "search", "notifications", "inventory"],
  version: ["2.14.0", "2.14.1", "2.15.0", "3.0.0-rc.2", "2.13.7"],
};

/** Looking up an order that is on its way: enough for some, and a first step for others. */
const SHIPPED = [
  "lookup_order",
  { order: "{order}" },
  { order: "{order}", status: "shipped", tracking: "3SABCD0042", carrier: "PostNL" },
];

export const FAMILIES = [
  {
    agent: "support",
    odds: [0.35, 0.9],
    tasks: [
      "Refund order {order}: {customer} received a damaged {product}",
      "{customer} wants a refund for order {order}, the {product} arrived broken",
    ],
    right: [
      [
        "lookup_order",
        { order: "{order}" },
        { order: "{order}", status: "delivered", total: 64.9, currency: "EUR", carrier_claim: null },
      ],
      [
        "create_claim",
        { order: "{order}", reason: "damaged", photo_required: true },
        { claim: "CL-2291", state: "open" },
      ],
      ["refund_order", { order: "{order}", amount: 64.9, claim: "CL-2291" }, { refunded: 64.9, eta_days: 3 }],
    ],
    wrong: [
      [
        "refund_order",
        { order: "{order}", amount: 64.9 },
        { error: "claim_missing", message: "a damaged item needs a carrier claim before its refund" },
      ],
    ],
    answer:
      "I've refunded €64.90 to your card. You'll see it within three days, and there's no need to send the {product} back.",
    failed: "Your refund is on its way!",
    feedback:
      "Promised a refund that was never made. Open a carrier claim with create_claim first, then pass its id to refund_order.",
  },
  {
    agent: "support",
    odds: [0.45, 0.88],
    tasks: [
      "Where is order {order}? {customer} has waited for nine days",
      "{customer} asks why order {order} to {city} is late",
    ],
    right: [
      SHIPPED,
      [
        "track_parcel",
        { tracking: "3SABCD0042" },
        { state: "held_at_depot", depot: "{city}", since: "6 days", reason: "address incomplete" },
      ],
    ],
    wrong: [SHIPPED],
    answer:
      "Your parcel is at the depot in {city}: the address lacked a house number. I've asked the carrier to deliver it tomorrow.",
    failed: "Your order has been shipped and will arrive soon.",
    feedback:
      'Status "shipped" says nothing after nine days. Call track_parcel and tell the customer what the carrier reports.',
  },
  {
    agent: "support",
    odds: [0.5, 0.85],
    tasks: [
      "Change the delivery address of order {order} to {city}",
      "{customer} moved to {city}, send order {order} there instead",
    ],
    right: [
      ["lookup_order", { order: "{order}" }, { order: "{order}", status: "packed", editable: false }],
      ["redirect_parcel", { order: "{order}", city: "{city}", ask_customer: true }, { redirected: true, fee: 0 }],
    ],
    wrong: [
      [
        "update_order",
        { order: "{order}", city: "{city}" },
        { updated: true, warning: "order is packed; the label was not reprinted" },
      ],
    ],
    answer: "Order {order} is packed already, so I've had the carrier redirect it to {city}. There is no charge.",
    failed: "Done, I've changed the address to {city}.",
    feedback: "update_order does nothing once an order is packed. Look at the status first and use redirect_parcel.",
  },
  {
    agent: "support",
    odds: [0.3, 0.8],
    tasks: [
      "{customer} was charged twice for order {order}",
      "Two card payments for order {order}, {customer} wants one back",
    ],
    right: [
      [
        "list_payments",
        { order: "{order}" },
        [
          { id: "pay_81", amount: 129, state: "captured" },
          { id: "pay_82", amount: 129, state: "authorized" },
        ],
      ],
      ["explain_authorization", { payment: "pay_82" }, { falls_away_in_days: 5 }],
    ],
    wrong: [
      [
        "refund_payment",
        { payment: "pay_82" },
        { error: "not_captured", message: "only captured payments can be refunded" },
      ],
    ],
    answer: "Only one payment was taken. The second is a reservation that your bank drops within five days.",
    failed: "I've refunded the second payment.",
    feedback:
      "The second charge was an authorization, not a payment. Check list_payments for the state before talking about refunds.",
  },
  {
    agent: "support",
    odds: [0.6, 0.9],
    tasks: [
      "Cancel the subscription of {customer} at the end of {month}",
      "{customer} wants to stop the coffee subscription after {month}",
    ],
    right: [
      ["get_subscription", { customer: "{customer}" }, { id: "sub_311", renews: "in 12 days", paused: false }],
      ["cancel_subscription", { id: "sub_311", at: "period_end" }, { cancelled_at: "period_end" }],
    ],
    wrong: [["cancel_subscription", { customer: "{customer}" }, { cancelled_at: "now", refunded: 0 }]],
    answer: "Your subscription ends with {month}. You keep everything until then and won't be charged again.",
    failed: "I've cancelled your subscription.",
    feedback:
      'It ended at once and the customer lost the paid month. Pass at: "period_end" unless they ask for an immediate stop.',
  },
  {
    agent: "support",
    odds: [0.55, 0.75],
    tasks: ["{customer} has lost the second factor and cannot sign in", "Reset two-factor login for {customer}"],
    right: [
      ["verify_identity", { customer: "{customer}", method: "email_code" }, { verified: true }],
      ["reset_two_factor", { customer: "{customer}" }, { reset: true }],
    ],
    wrong: [["reset_two_factor", { customer: "{customer}" }, { reset: true, audit: "no identity check on record" }]],
    answer: "Thanks for confirming the code. Two-factor login is reset; you'll be asked to set it up again.",
    failed: "Two-factor login is reset.",
    feedback: "Never reset a second factor before verify_identity has succeeded. That is how accounts get stolen.",
  },
  {
    agent: "sql",
    odds: [0.3, 0.88],
    tasks: [
      "Which customers have unpaid invoices?",
      "List customers with invoices that are not paid",
      "Who owes us money on open invoices in {city}?",
    ],
    right: [
      [
        "run_sql",
        "SELECT c.name, sum(i.total) AS owed\nFROM invoices i JOIN customers c ON c.id = i.customer_id\nWHERE i.status = 'unpaid' AND NOT i.is_draft\nGROUP BY c.name ORDER BY owed DESC",
        "name | owed\nHarbor Foods | 18 204.00\nNordlicht GmbH | 9 411.50\n…\n38 rows",
      ],
    ],
    wrong: [["run_sql", "SELECT name FROM customers JOIN invoices USING (customer_id)", "412 rows"]],
    answer: "38 customers have unpaid invoices; Harbor Foods owes the most, €18,204.00.",
    failed: "There are 412 customers with unpaid invoices.",
    feedback: "Missed the WHERE clause. Filter on status = 'unpaid' and leave drafts out (NOT is_draft).",
  },
  {
    agent: "sql",
    odds: [0.4, 0.9],
    tasks: ["Revenue by region for {quarter}", "How much did each region sell in {quarter}?"],
    right: [
      [
        "describe_table",
        { table: "orders" },
        { columns: ["id", "region", "placed_at timestamptz", "total_cents int", "refunded_cents int"] },
      ],
      [
        "run_sql",
        "SELECT region, sum(total_cents - refunded_cents) / 100.0 AS revenue\nFROM orders\nWHERE placed_at >= date_trunc('quarter', now())\nGROUP BY region",
        "region | revenue\nNorth | 412 880.20\nSouth | 301 776.00\nWest | 288 010.75",
      ],
    ],
    wrong: [
      [
        "run_sql",
        "SELECT region, sum(total_cents) FROM orders GROUP BY region",
        "region | sum\nNorth | 91 288 020\nSouth | 60 177 600",
      ],
    ],
    answer: "In {quarter}: North €412,880.20, South €301,776.00, West €288,010.75, refunds taken off.",
    failed: "North sold 91,288,020.",
    feedback:
      "Amounts are in cents and include refunds. Subtract refunded_cents, divide by 100, and filter on the quarter.",
  },
  {
    agent: "sql",
    odds: [0.5, 0.85],
    tasks: ["How many users signed up in {month}?", "New sign-ups per week in {month}"],
    right: [
      [
        "run_sql",
        "SELECT date_trunc('week', created_at AT TIME ZONE 'Europe/Amsterdam') AS week, count(*)\nFROM users WHERE NOT is_internal GROUP BY 1 ORDER BY 1",
        "week | count\n2026-10-05 | 1 204\n2026-10-12 | 1 377",
      ],
    ],
    wrong: [["run_sql", "SELECT count(*) FROM users", "88 412"]],
    answer: "1,204 and 1,377 in the first two weeks, without our own test accounts.",
    failed: "88,412 users signed up.",
    feedback:
      "Counted every user ever, test accounts included. Filter on NOT is_internal and group by week in Europe/Amsterdam.",
  },
  {
    agent: "sql",
    odds: [0.35, 0.7],
    tasks: ["Which products are returned most often?", "Return rate by product for {quarter}"],
    right: [
      [
        "run_sql",
        "SELECT p.name, round(100.0 * count(r.id) / count(o.id), 1) AS percent\nFROM order_lines o JOIN products p ON p.id = o.product_id LEFT JOIN returns r ON r.line_id = o.id\nGROUP BY p.name HAVING count(o.id) >= 50 ORDER BY percent DESC LIMIT 10",
        "name | percent\ntrail jacket | 11.2\ndesk lamp | 7.9",
      ],
    ],
    wrong: [
      [
        "run_sql",
        "SELECT product_id, count(*) FROM returns GROUP BY 1 ORDER BY 2 DESC",
        "product_id | count\n17 | 204\n3 | 198",
      ],
    ],
    answer:
      "The trail jacket, 11.2 % of those sold; then the desk lamp, 7.9 %. Products with under 50 sales are left out.",
    failed: "Product 17 is returned most often, 204 times.",
    feedback: "A rate needs the sales as denominator: join order_lines, and name the product instead of its id.",
  },
  {
    agent: "sql",
    odds: [0.45, 0.82],
    tasks: ["Delete test orders older than a year", "Clean up the orders of internal accounts"],
    right: [
      ["run_sql", "SELECT count(*) FROM orders WHERE is_internal AND placed_at < now() - interval '1 year'", "1 203"],
      [
        "request_approval",
        { statement: "DELETE FROM orders WHERE …", rows: 1203 },
        { approval: "pending", reviewer: "data-team" },
      ],
    ],
    wrong: [["run_sql", "DELETE FROM orders WHERE is_internal", "ERROR: permission denied for table orders"]],
    answer: "1,203 orders match. I've asked the data team to approve the deletion; nothing has been removed yet.",
    failed: "I could not delete the orders.",
    feedback: "Never send a DELETE. Count the rows that would go and use request_approval with the statement.",
  },
  {
    agent: "release",
    odds: [0.4, 0.92],
    tasks: ["Prepare release {version} of {service}", "Cut {service} {version}"],
    right: [
      [
        "git_log",
        { range: "last-tag..main" },
        "a41c2e9 Retry payment webhooks\n77d0b13 Drop Node 18\n1f9e0aa Fix rounding of VAT",
      ],
      ["run_tests", { service: "{service}", suite: "full" }, { passed: 1842, failed: 0 }],
      ["create_tag", { name: "{service}-{version}", notes: true }, { tag: "{service}-{version}", pushed: true }],
    ],
    wrong: [
      [
        "create_tag",
        { name: "{version}" },
        { error: "tag_exists", message: "tag {version} belongs to another service" },
      ],
    ],
    answer:
      "{service} {version} is tagged with notes: webhooks are retried, Node 18 is gone, VAT is rounded right. 1,842 tests passed.",
    failed: "The tag already exists, so the release is done.",
    feedback:
      "Tags carry the service: {service}-{version}. Run the full suite first and never take an existing tag for a release.",
  },
  {
    agent: "release",
    odds: [0.5, 0.85],
    tasks: [
      "Roll back {service} to the version before {version}",
      "{service} {version} raises errors in production, roll it back",
    ],
    right: [
      [
        "list_deployments",
        { service: "{service}" },
        [
          { version: "{version}", migrations: 0 },
          { version: "2.12.4", migrations: 0 },
        ],
      ],
      ["rollback", { service: "{service}", to: "2.12.4" }, { state: "healthy", error_rate: 0.001 }],
    ],
    wrong: [
      [
        "rollback",
        { service: "{service}" },
        { state: "failed", message: "the previous version expects a column that a migration has dropped" },
      ],
    ],
    answer: "{service} is back on 2.12.4, error rate 0.1 %. No migration stood in the way.",
    failed: "Rolled back.",
    feedback:
      "Check list_deployments for migrations between the versions before rolling back, and report the error rate after it.",
  },
  {
    agent: "release",
    odds: [0.55, 0.8],
    tasks: ["Write the changelog of {service} {version}", "Changelog entry for {service} {version}"],
    right: [
      [
        "git_log",
        { range: "last-tag..main", merges: false },
        "Retry payment webhooks (#4410)\nFix rounding of VAT (#4417)",
      ],
      ["read_file", { path: "CHANGELOG.md", lines: 40 }, "## Unreleased\n\n### Fixed\n- …"],
    ],
    wrong: [["git_log", { range: "last-tag..main" }, "Merge branch 'main'\nMerge branch 'main'\nwip"]],
    answer:
      "### Added\n- Payment webhooks are retried for a day (#4410)\n\n### Fixed\n- VAT is rounded per line, not per order (#4417)",
    failed: "- Merge branch 'main'\n- wip",
    feedback:
      "A changelog is for users: leave merges and wip out, group by Added and Fixed, and link the pull request.",
  },
  {
    agent: "release",
    odds: [0.35, 0.78],
    tasks: ["The nightly build of {service} is red, find out why", "{service}: nightly failed again"],
    right: [
      ["get_build", { service: "{service}", which: "nightly" }, { failed_step: "integration", log_url: "build/9912" }],
      [
        "read_log",
        { build: 9912, around: "FAILED" },
        "FAILED tests/test_vat.py::test_rounding - assert 19.0 == 18.99\n(passed on retry 2 of 3)",
      ],
    ],
    wrong: [["rerun_build", { service: "{service}" }, { state: "green" }]],
    answer:
      "tests/test_vat.py::test_rounding is flaky: it fails before noon UTC, when the rate table is still yesterday's. I opened a ticket with the log.",
    failed: "I ran it again and it is green now.",
    feedback: "Running it again hides the cause. Read the log around FAILED and say which test failed and why.",
  },
];
