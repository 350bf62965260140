/*
 * Assets and the stacks of threads.
 */
#include "model/memory/memory_model.h"

void tk_asset_list_init(struct tk_asset_list *list, struct tk_health *health, uint64_t rows,
                        const char *table)
{
    *list = (struct tk_asset_list){.capacity = {.health = health, .rows = rows, .table = table}};
    tk_definition_list_init(&list->names, health, rows, table);
}

/* ---- assets ---- */

static uint64_t hash_of_asset_list(const struct tk_fact_context *c)
{
    const uint64_t parts[] = {c->id,   (uint64_t)c->op << 32 | c->name_type,
                              c->name, (uint64_t)c->kind_type << 32 | c->package_type,
                              c->kind, c->package};
    return tk_hash_bytes(parts, sizeof parts, 0);
}

static bool same_asset_list(const struct tk_fact_context *a, const struct tk_fact_context *b)
{
    return a->op == b->op && a->id == b->id && a->name == b->name && a->name_type == b->name_type &&
           a->kind == b->kind && a->kind_type == b->kind_type && a->package == b->package &&
           a->package_type == b->package_type;
}

/* 1 + the index of an asset in *out; 0 where there is no space for it. */
static int number_of_asset_list(struct tk_asset_list *list, const struct tk_fact_context *c, uint32_t *out)
{
    uint64_t hash = hash_of_asset_list(c);
    uint32_t first = tk_map_get(&list->index, hash), i = first == TK_MAP_NONE ? 0 : first + 1;
    *out = 0;
    while (i && !same_asset_list(&list->assets.v[i - 1].info, c))
        i = list->assets.v[i - 1].next;
    if (!i) {
        struct tk_asset asset = {.info = *c, .next = first == TK_MAP_NONE ? 0 : first + 1};
        if (!tk_row_limit_for(&list->capacity, list->assets.n))
            return 0;
        if (tk_vec_push(&list->assets, asset) || tk_map_put(&list->index, hash, (uint32_t)list->assets.n - 1))
            return -1;
        i = (uint32_t)list->assets.n;
    }
    *out = i;
    list->assets.v[i - 1].scopes++;
    return 0;
}

/* ---- stacks ---- */

static int push(struct tk_asset_stack *stack, uint32_t asset)
{
    return tk_vec_push(&stack->entries, asset);
}

static int begin_asset(struct tk_asset_list *list, struct tk_asset_stack *stack,
                       const struct tk_fact_context *c)
{
    uint32_t asset;
    return number_of_asset_list(list, c, &asset) ? -1 : push(stack, asset ? asset : tk_asset_now(stack));
}

/* The innermost asset counts; a package only where there is no asset around it. */
static int begin_package(struct tk_asset_list *list, struct tk_asset_stack *stack,
                         const struct tk_fact_context *c)
{
    uint32_t asset, now = tk_asset_now(stack);
    if (number_of_asset_list(list, c, &asset))
        return -1;
    if (!asset || (now && list->assets.v[now - 1].info.op == TK_CONTEXT_ASSET))
        asset = now;
    return push(stack, asset);
}

static int restore(struct tk_asset_list *list, struct tk_asset_stack *stack, uint64_t id)
{
    uint32_t asset = tk_map_get(&list->saved, id);
    if (asset == TK_MAP_NONE) {
        list->unknown_saves++;
        asset = 0;
    }
    return push(stack, asset);
}

static int name_package(struct tk_asset_list *list, const struct tk_fact_context *c)
{
    struct tk_asset_package package = {c->package, c->package_type};
    if (tk_vec_push(&list->packages, package))
        return -1;
    return tk_map_put(&list->package_index, c->id, (uint32_t)list->packages.n - 1);
}

int tk_asset_list_feed(struct tk_asset_list *list, struct tk_asset_stack *stack,
                       const struct tk_fact_context *c)
{
    switch (c->op) {
    case TK_CONTEXT_ASSET:
        return begin_asset(list, stack, c);
    case TK_CONTEXT_PACKAGE:
        return begin_package(list, stack, c);
    case TK_CONTEXT_OTHER:
        return push(stack, tk_asset_now(stack));
    case TK_CONTEXT_CLEAR:
        return push(stack, 0);
    case TK_CONTEXT_RESTORE:
        return restore(list, stack, c->id);
    case TK_CONTEXT_END:
        stack->entries.n -= stack->entries.n > 0;
        return 0;
    case TK_CONTEXT_SAVE:
        return tk_map_put(&list->saved, c->id, tk_asset_now(stack));
    case TK_CONTEXT_NAME:
        return name_package(list, c);
    case TK_CONTEXT_LOST:
        stack->entries.n = 0;
        return 0;
    default:
        return 0;
    }
}

/* ---- names ---- */

static const struct tk_str *text_asset_list(const struct tk_asset_list *list, uint32_t type, uint64_t id)
{
    return type == TK_NO_TYPE ? NULL : tk_definition_text(&list->names, type, id);
}

static const struct tk_str *package_name(const struct tk_asset_list *list, uint64_t id)
{
    uint32_t i = tk_map_get(&list->package_index, id);
    return i == TK_MAP_NONE ? NULL
                            : text_asset_list(list, list->packages.v[i].type, list->packages.v[i].name);
}

const struct tk_str *tk_asset_name(const struct tk_asset_list *list, uint32_t asset)
{
    const struct tk_fact_context *info = asset ? &list->assets.v[asset - 1].info : NULL;
    if (!info)
        return NULL;
    if (info->op == TK_CONTEXT_PACKAGE)
        return package_name(list, info->id);
    return text_asset_list(list, info->name_type, info->name);
}

const struct tk_str *tk_asset_class(const struct tk_asset_list *list, uint32_t asset)
{
    const struct tk_fact_context *info = asset ? &list->assets.v[asset - 1].info : NULL;
    return info && info->op == TK_CONTEXT_ASSET ? text_asset_list(list, info->kind_type, info->kind) : NULL;
}

const struct tk_str *tk_asset_package(const struct tk_asset_list *list, uint32_t asset)
{
    const struct tk_fact_context *info = asset ? &list->assets.v[asset - 1].info : NULL;
    if (!info)
        return NULL;
    if (info->op == TK_CONTEXT_PACKAGE)
        return package_name(list, info->id);
    return text_asset_list(list, info->package_type, info->package);
}

void tk_asset_list_release(struct tk_asset_list *list)
{
    tk_vec_release(&list->assets);
    tk_map_release(&list->index);
    tk_map_release(&list->saved);
    tk_map_release(&list->package_index);
    tk_vec_release(&list->packages);
    tk_definition_list_release(&list->names);
}
