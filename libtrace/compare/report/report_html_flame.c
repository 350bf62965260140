/*
 * The flame graph of a difference: calls as wide as on the longer side, coloured by the change of their own
 * time. Part of report_html.h.
 *
 * Paths come sorted, so that what begins alike stands together: nodes are made in the order of depth first.
 */
#include "base/vec.h"
#include "compare/report/report_html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * The picture of frame times of a comparison: which share of the frames stays below which time, on an axis
 * that is stretched towards all of them, so that rare long frames are seen. Part of report_html.h.
 */

enum { REPORT_HTML_SHARES_WIDTH = 720, HEIGHT = 240, LEFT = 52, RIGHT = 14, TOP = 10, BOTTOM = 26 };

#define DECADES 3.0 /* of the axis: up to 99.9 % */

struct scale {
    double low, high; /* ms */
    bool is_log;
};

static double at_x(const struct scale *s, double ms)
{
    const double part =
        s->is_log ? log(ms / s->low) / log(s->high / s->low) : (ms - s->low) / (s->high - s->low);
    return (double)LEFT + part * (REPORT_HTML_SHARES_WIDTH - LEFT - RIGHT);
}

/* Of the share of frames that are longer. */
static double at_y(double longer)
{
    return HEIGHT - BOTTOM + log10(longer) / DECADES * (HEIGHT - TOP - BOTTOM);
}

static bool find_scale(const struct tk_comparison *c, struct scale *s)
{
    *s = (struct scale){.low = INFINITY};
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < TK_FRAME_SHARES; i++) {
            const double ms = c->frame_shares[side][i];
            if (!(ms > 0) || !isfinite(ms))
                return false;
            s->low = fmin(s->low, ms);
            s->high = fmax(s->high, ms);
        }
    s->is_log = s->high / s->low > 4;
    const double margin = s->is_log ? 0 : fmax((s->high - s->low) * 0.04, s->high * 0.005);
    s->low = s->is_log ? s->low / 1.05 : fmax(s->low - margin, 0);
    s->high = s->is_log ? s->high * 1.05 : s->high + margin;
    return true;
}

static void print_number(struct tk_print *p, const char *key, double v)
{
    tk_print(p, " %s=\"", key);
    tk_print_fixed(p, v, 1);
    tk_print(p, "\"");
}

static void print_line(struct tk_print *p, double x1, double y1, double x2, double y2)
{
    tk_print(p, "<line class=\"axis\"");
    print_number(p, "x1", x1);
    print_number(p, "y1", y1);
    print_number(p, "x2", x2);
    print_number(p, "y2", y2);
    tk_print(p, "/>");
}

static void print_tick(struct tk_print *p, const struct scale *s, double ms)
{
    const double x = at_x(s, ms);
    print_line(p, x, TOP, x, HEIGHT - BOTTOM);
    tk_print(p, "<text class=\"mid\"");
    print_number(p, "x", x);
    tk_print(p, " y=\"%d\">", HEIGHT - 10);
    tk_print_real(p, ms, 4);
    tk_print(p, " ms</text>");
}

/* Round times: about six, or the ones, twos and fives of each power of ten. */
static void print_times(struct tk_print *p, const struct scale *s)
{
    static const double steps[] = {1, 2, 5, 10};
    const double raw = (s->high - s->low) / 6, ten = pow(10, floor(log10(raw)));
    double step = 10 * ten;
    for (size_t i = sizeof steps / sizeof *steps; i-- > 0;)
        step = steps[i] * ten >= raw ? steps[i] * ten : step;
    if (!s->is_log) {
        for (double k = ceil(s->low / step); k * step <= s->high; k++)
            print_tick(p, s, k * step);
        return;
    }
    const size_t n = s->high / s->low > 100 ? 1 : 3;
    double unit = pow(10, floor(log10(s->low)));
    while (unit <= s->high) {
        for (size_t i = 0; i < n; i++)
            if (unit * steps[i] >= s->low && unit * steps[i] <= s->high)
                print_tick(p, s, unit * steps[i]);
        unit *= 10;
    }
}

static void print_shares(struct tk_print *p)
{
    static const struct {
        double longer;
        const char *text;
    } shares[] = {{1, "0 %"}, {0.5, "50 %"}, {0.1, "90 %"}, {0.01, "99 %"}, {0.001, "99.9 %"}};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        const double y = at_y(shares[i].longer);
        print_line(p, LEFT, y, REPORT_HTML_SHARES_WIDTH - RIGHT, y);
        tk_print(p, "<text class=\"end\" x=\"%d\"", LEFT - 6);
        print_number(p, "y", y + 4);
        tk_print(p, ">%s</text>", shares[i].text);
    }
}

static void print_curve(struct tk_print *p, const struct scale *s, const double *times, const char *class)
{
    tk_print(p, "<polyline class=\"%s\" points=\"", class);
    for (int i = 0; i < TK_FRAME_SHARES; i++)
        for (int before = i > 0; before >= 0; before--) { /* steps: frames are as long as they are */
            tk_print_fixed(p, at_x(s, times[i]), 1);
            tk_print(p, ",");
            tk_print_fixed(p, at_y(pow(10, -(i - before) / 16.0)), 1);
            tk_print(p, " ");
        }
    tk_print(p, "\"/>");
}

void tk_report_html_shares(struct tk_print *p, const struct tk_comparison *c)
{
    struct scale s;
    if (!find_scale(c, &s))
        return;
    tk_print(
        p,
        "<p>Share of the frames that took no longer than a time: before dashed, after solid. The axis is "
        "stretched for the longest frames.</p>\n<div class=\"plot shares\" tabindex=\"0\"><svg "
        "role=\"img\" "
        "aria-label=\"Share of the frames that took no longer than a time, before and after; the table above "
        "has percentiles\" "
        "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n",
        REPORT_HTML_SHARES_WIDTH, HEIGHT, REPORT_HTML_SHARES_WIDTH, HEIGHT);
    print_shares(p);
    print_times(p, &s);
    print_curve(p, &s, c->frame_shares[1], "curve");
    print_curve(p, &s, c->frame_shares[0], "curve base");
    tk_print(p, "\n</svg></div>\n");
}

enum { WIDTH = 1400, ROW = 18, DEPTH_MOST = 60 };

#define LEAST 0.4 /* pixels: what is narrower is not drawn */
#define SEEN  2.0 /* pixels: what is narrower makes no row */

struct node {
    struct tk_str name;
    size_t depth, next;    /* next: the first node behind those below it */
    double own[2], all[2]; /* us a frame */
    double x, width;
};

typedef TK_VEC(struct node) node_list;

/* The node of a part at a depth below what is open; opens it. 0, or -1. */
static int open_node(node_list *nodes, size_t *open, size_t *n_open, size_t depth, struct tk_str name)
{
    if (*n_open > depth) {
        const struct tk_str *was = &nodes->v[open[depth]].name;
        if (was->n == name.n && memcmp(was->p, name.p, name.n) == 0)
            return 0;
    }
    *n_open = depth;
    if (tk_vec_push(nodes, ((struct node){.name = name, .depth = depth})))
        return -1;
    open[(*n_open)++] = nodes->n - 1;
    return 0;
}

static int add_path(node_list *nodes, size_t *open, size_t *n_open, const struct tk_comparison_path *path)
{
    size_t depth = 0;
    if (open_node(nodes, open, n_open, depth++, *path->group))
        return -1;
    for (size_t from = 0; from < path->text->n && depth < DEPTH_MOST;) {
        const char *p = path->text->p + from;
        const char *end = memchr(p, ';', path->text->n - from);
        const size_t n = end ? (size_t)(end - p) : path->text->n - from;
        const struct tk_str part = {.p = p, .n = (uint32_t)n, .enc = path->text->enc};
        if (open_node(nodes, open, n_open, depth++, part))
            return -1;
        from += n + 1;
    }
    *n_open = depth;
    struct node *leaf = &nodes->v[open[depth - 1]];
    for (int side = 0; side < 2; side++)
        leaf->own[side] += fmax(path->us[side], 0);
    return 0;
}

/* Sums from the leaves up, and where each node's subtree ends. */
static void sum_nodes(node_list *nodes)
{
    size_t next[DEPTH_MOST + 2];
    double sums[DEPTH_MOST + 2][2] = {{0}};
    for (size_t d = 0; d < DEPTH_MOST + 2; d++)
        next[d] = nodes->n;
    for (size_t i = nodes->n; i-- > 0;) {
        struct node *n = &nodes->v[i];
        n->next = nodes->n;
        for (size_t d = 0; d <= n->depth; d++)
            n->next = next[d] < n->next ? next[d] : n->next;
        for (int side = 0; side < 2; side++) {
            n->all[side] = n->own[side] + sums[n->depth + 1][side];
            sums[n->depth][side] += n->all[side];
            sums[n->depth + 1][side] = 0;
        }
        next[n->depth] = i;
        for (size_t d = n->depth + 1; d < DEPTH_MOST + 2; d++)
            next[d] = nodes->n;
    }
}

/* What boxes are as wide as: a side, or the one where a call is longer. */
enum width_of { BEFORE, AFTER, LONGER };

static double weight_of(const double us[2], enum width_of of)
{
    return of == LONGER ? fmax(us[0], us[1]) : us[of];
}

/* Places of nodes: those below one share its width. The greatest depth that is drawn. */
static size_t place_nodes(node_list *nodes, enum width_of of)
{
    double whole = 0, at[DEPTH_MOST + 2] = {0}, scale[DEPTH_MOST + 2] = {0};
    size_t deepest = 0;
    for (size_t i = 0; i < nodes->n; i = nodes->v[i].next)
        whole += weight_of(nodes->v[i].all, of);
    scale[0] = whole > 0 ? (double)WIDTH / whole : 0;
    for (size_t i = 0; i < nodes->n; i++) {
        struct node *n = &nodes->v[i];
        double below = weight_of(n->own, of);
        n->x = at[n->depth];
        n->width = weight_of(n->all, of) * scale[n->depth];
        at[n->depth] += n->width;
        for (size_t k = i + 1; k < n->next; k = nodes->v[k].next)
            below += weight_of(nodes->v[k].all, of);
        at[n->depth + 1] = n->x;
        scale[n->depth + 1] = below > 0 ? n->width / below : 0;
        if (n->width >= SEEN && n->depth > deepest)
            deepest = n->depth;
    }
    return deepest;
}

static const char *class_of(const struct node *n, double floor)
{
    const double change = n->own[1] - n->own[0];
    if (n->depth == 0)
        return "class";
    return fabs(change) < floor || fabs(change) < 0.02 * fmax(n->own[0], n->own[1]) ? "same"
           : change > 0                                                             ? "slower"
                                                                                    : "faster";
}

/* As much of a name as fits, without a character that is cut. */
static struct tk_str head_of(struct tk_str name, size_t capacity, bool *cut)
{
    *cut = name.n > capacity;
    if (*cut)
        name.n = (uint32_t)(capacity - 1);
    while (*cut && name.n && ((uint8_t)name.p[name.n] & 0xc0) == 0x80)
        name.n--;
    return name;
}

/* The name of a box, cut where that ends whatever the font is; a shape stands before it where its time
 * changed, also where there is no space for a name. */
static void print_label(struct tk_print *p, const struct node *n, const char *class)
{
    const char *shape = strcmp(class, "slower") == 0 ? "▲ " : strcmp(class, "faster") == 0 ? "▼ " : "";
    const double width = n->width - (*shape ? 15 : 0); /* of the name */
    const size_t capacity = width > 24 ? (size_t)((width - 8) / 6.6) : 0;
    bool cut = false;
    const struct tk_str name = capacity < 3 ? (struct tk_str){.p = ""} : head_of(n->name, capacity, &cut);
    if (capacity < 3 && (!*shape || n->width < 14))
        return;
    tk_print(p, "<svg x=\"");
    tk_print_fixed(p, n->x, 1);
    tk_print(p, "\" y=\"%zu\" width=\"", n->depth * ROW);
    tk_print_fixed(p, n->width - 1, 1);
    tk_print(p, "\" height=\"%d\"><text class=\"box\" x=\"%s\" y=\"12.5\">%s", ROW - 1,
             capacity < 3 ? "1" : "3", shape);
    tk_print_xml(p, &name);
    tk_print(p, "%s</text></svg>", cut ? "…" : "");
}

static void print_times_of(struct tk_print *p, const struct node *n)
{
    const double times[] = {n->all[0], n->all[1], n->own[0], n->own[1]};
    static const char *const before[] = {": ", " to ", " ms/frame, own ", " to "};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        tk_print(p, "%s", before[i]);
        tk_print_fixed(p, times[i] / 1000, 3);
    }
}

static void print_node(struct tk_print *p, const struct node *n, double floor)
{
    const char *class = class_of(n, floor);
    tk_print(p, "<g><title>");
    tk_print_xml(p, &n->name);
    print_times_of(p, n);
    tk_print(p, "</title><rect class=\"%s\" x=\"", class);
    tk_print_fixed(p, n->x, 1);
    tk_print(p, "\" y=\"%zu\" width=\"", n->depth * ROW);
    tk_print_fixed(p, fmax(n->width - 1, LEAST), 1);
    tk_print(p, "\" height=\"%d\"/>", ROW - 1);
    print_label(p, n, class);
    tk_print(p, "</g>\n");
}

static int make_nodes(node_list *nodes, const struct tk_comparison *c)
{
    size_t open[DEPTH_MOST + 1] = {0}, n_open = 0;
    for (size_t i = 0; i < c->paths.n; i++)
        if (add_path(nodes, open, &n_open, &c->paths.v[i]))
            return -1;
    return 0;
}

static void print_nodes(struct tk_print *p, const struct tk_comparison *c, const node_list *nodes,
                        size_t rows, double least)
{
    for (size_t i = 0; i < nodes->n; i++)
        if (nodes->v[i].width >= least && nodes->v[i].depth < rows)
            print_node(p, &nodes->v[i], c->setup.floor_frame * c->frame_ms * 1000);
}

/* ---- the tree in words ---- */

enum { TREE_ROWS = 200 };

#define TREE_SHARE 0.01 /* of all calls: what takes less is no row */

static void print_tree_row(struct tk_print *p, const struct node *n, double floor)
{
    const char *class = class_of(n, floor);
    const double ms[] = {n->all[0] / 1000, n->all[1] / 1000, (n->own[1] - n->own[0]) / 1000};
    tk_print(p, "<tr><td>");
    for (size_t d = 0; d < n->depth; d++)
        tk_print(p, "&#8195;");
    tk_print_xml(p, &n->name);
    tk_print(p, "</td>");
    for (size_t i = 0; i < sizeof ms / sizeof *ms; i++) {
        tk_print(p, "<td class=\"n\"><data value=\"");
        tk_print_real(p, ms[i], 9);
        tk_print(p, "\">");
        tk_print_fixed(p, ms[i], 3);
        tk_print(p, "</data></td>");
    }
    tk_print(p, "<td>%s</td></tr>\n",
             strcmp(class, "slower") == 0   ? "▲ longer"
             : strcmp(class, "faster") == 0 ? "▼ shorter"
                                            : "");
}

static void print_tree_head(struct tk_print *p)
{
    const struct tk_html h = tk_print_html(p);
    tk_html_table(h, "table", "tree", TK_HTML_FOCUS,
                  "The tree of the difference: calls that take 1 % or more, in the time of a frame");
    tk_html_column(h, "", "call");
    tk_html_column(h, TK_HTML_NUMBERS, "before, ms");
    tk_html_column(h, TK_HTML_NUMBERS, "after, ms");
    tk_html_column(h, TK_HTML_NUMBERS, "change of own, ms");
    tk_html_column(h, "", "exclusive time");
    tk_html_rows(h);
}

static void print_tree(struct tk_print *p, const struct tk_comparison *c, const node_list *nodes)
{
    double whole = 0;
    size_t rows = 0;
    for (size_t i = 0; i < nodes->n; i = nodes->v[i].next)
        whole += weight_of(nodes->v[i].all, LONGER);
    print_tree_head(p);
    for (size_t i = 0; i < nodes->n && rows < TREE_ROWS; i++)
        if (weight_of(nodes->v[i].all, LONGER) >= whole * TREE_SHARE && ++rows)
            print_tree_row(p, &nodes->v[i], c->setup.floor_frame * c->frame_ms * 1000);
    tk_html_table_end(tk_print_html(p));
}

/* ---- the section of a page ---- */

static void print_picture(struct tk_print *p, const struct tk_comparison *c, node_list *nodes,
                          enum width_of of)
{
    static const char *const titles[] = {"Before", "After", "Difference"},
                             *const labels[] = {"Flame graph of the calls before",
                                                "Flame graph of the calls after",
                                                "Flame graph of the difference"};
    const size_t rows = place_nodes(nodes, of) + 1;
    tk_print(p,
             "<h3>%s</h3>\n<div class=\"scroll plot\" tabindex=\"0\"><svg role=\"img\" aria-label=\"%s; the "
             "tables say in "
             "words what changed\" viewBox=\"0 0 %d %zu\" width=\"%d\" height=\"%zu\">\n",
             titles[of], labels[of], WIDTH, rows * ROW, WIDTH, rows * ROW);
    print_nodes(p, c, nodes, rows, of == LONGER ? LEAST : 1);
    tk_print(p, "</svg></div>\n");
}

void tk_report_html_flame(struct tk_print *p, const struct tk_comparison *c)
{
    node_list nodes = {0};
    if (c->paths.n == 0)
        return;
    if (make_nodes(&nodes, c)) {
        p->failed = true;
    } else {
        sum_nodes(&nodes);
        tk_html_section(tk_print_html(p), "flame", "Calls of both sides");
        tk_print(
            p,
            "<p>In the difference each is as wide as on the side where it is longer; red and ▲: exclusive "
            "time became longer, blue and ▼: shorter, grey: the same. Point at a name for its times.</p>\n");
        print_picture(p, c, &nodes, LONGER);
        print_picture(p, c, &nodes, BEFORE);
        print_picture(p, c, &nodes, AFTER);
        print_tree(p, c, &nodes);
        tk_print(p, "</section>\n");
    }
    tk_vec_release(&nodes);
}

/* ---- alone ---- */

enum { HEAD = 46 };

/* The picture alone: colours, and a legend whose shapes say the same without them. */
static void print_alone(struct tk_print *p, const struct tk_comparison *c, const node_list *nodes,
                        size_t rows)
{
    const size_t height = HEAD + rows * ROW + 4;
    tk_print(
        p,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
        "viewBox=\"0 0 %d %zu\" width=\"%d\" height=\"%zu\">\n"
        "<title>Flame graph of a difference: calls as wide as on the side where they are longer</title>\n"
        "<style>text { font: 11px 'DejaVu Sans', Verdana, sans-serif; fill: #15191f } .slower { fill: "
        "#f0a3a3 } "
        ".faster { fill: #9dc0ee } .same { fill: #d3d8de } .class { fill: #e6e9ee }</style>\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
        "<text x=\"4\" y=\"16\">Flame graph of the difference: %s calls, ms a frame, in the order before to "
        "after; each as wide as on the side where it is longer</text>\n"
        "<g id=\"legend\"><rect class=\"slower\" x=\"4\" y=\"24\" width=\"14\" height=\"14\"/><text x=\"22\" "
        "y=\"35\">▲ exclusive time became longer</text><rect class=\"faster\" x=\"224\" y=\"24\" "
        "width=\"14\" "
        "height=\"14\"/><text x=\"242\" y=\"35\">▼ shorter</text><rect class=\"same\" x=\"324\" y=\"24\" "
        "width=\"14\" height=\"14\"/><text x=\"342\" y=\"35\">no sign: the same</text></g>\n<svg y=\"%d\">\n",
        WIDTH, height, WIDTH, height, nodes->n ? "all" : "no", HEAD);
    print_nodes(p, c, nodes, rows, LEAST);
    tk_print(p, "</svg>\n</svg>\n");
}

void tk_report_flame(struct tk_print *p, const struct tk_comparison *c, const struct tk_report_setup *setup)
{
    node_list nodes = {0};
    (void)setup;
    if (make_nodes(&nodes, c)) {
        p->failed = true;
    } else {
        sum_nodes(&nodes);
        print_alone(p, c, &nodes, nodes.n ? place_nodes(&nodes, LONGER) + 1 : 0);
    }
    tk_vec_release(&nodes);
}
