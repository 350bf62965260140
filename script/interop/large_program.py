"""A large C++ program for measuring and comparing symbols: units with many containers, strings and expressions, most of whose code is
inlined, so that an address has four or five functions."""

HEADERS = ('algorithm', 'deque', 'functional', 'list', 'map', 'memory', 'numeric', 'random', 'regex', 'set', 'sstream', 'string',
           'unordered_map', 'vector')
KINDS = 8
WORK = """
struct Item@ { int key; std::string text; double values[@ + 1]; bool operator<(const Item@ &o) const { return key < o.key; } };
__attribute__((noinline)) int sort@(const std::string &text, int n)
{
    std::list<Item@> items;
    std::map<int, std::vector<Item@>> groups;
    std::set<Item@> all;
    for (int i = 0; i < n; i++) {
        Item@ item{i * (@ + 3), text + std::to_string(i), {}};
        groups[i % 7].push_back(item);
        all.insert(item);
        items.push_front(item);
    }
    items.sort();
    std::vector<Item@> sorted(items.begin(), items.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const Item@ &a, const Item@ &b) { return a.text < b.text; });
    std::function<int(const Item@ &)> weigh = [&](const Item@ &item) { return item.key + (int)groups.size(); };
    std::unordered_map<std::string, std::deque<Item@>> named;
    for (auto &item : sorted)
        named[item.text].push_back(item);
    std::ostringstream out;
    out << std::accumulate(sorted.begin(), sorted.end(), 0, [&](int sum, const Item@ &item) { return sum + weigh(item); });
    auto shared = std::make_shared<Item@>(sorted.empty() ? Item@{} : sorted.front());
    return shared->key + (int)(out.str().size() + named.size() + all.size());
}
"""
REST = """
int match(const std::string &text) { std::regex r("(a+)(b|c)*[0-9]{2,}"); std::smatch m; return std::regex_search(text, m, r) ? 1 : 0; }
int draw(int seed) { std::mt19937 source(seed); std::normal_distribution<double> normal; return (int)(normal(source) * 100); }
int all(const std::string &text, int n) { return match(text) + draw(n)%s; }
}
extern "C" int unit_%d(const char *text, int n) { return unit%d::all(text, n); }
"""


def write(folder, units):
    """The sources of a program of so many units; their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    calls = ''.join(' + sort%d(text, n)' % kind for kind in range(KINDS))
    for unit in range(units):
        text = ''.join('#include <%s>\n' % name for name in HEADERS) + 'namespace unit%d {' % unit
        text += ''.join(WORK.replace('@', str(kind)) for kind in range(KINDS)) + REST % (calls, unit, unit)
        (folder / ('unit%d.cpp' % unit)).write_text(text, encoding='utf-8')
    declared = ''.join('extern "C" int unit_%d(const char *, int);\n' % unit for unit in range(units))
    called = ''.join(' + unit_%d(v[0], c)' % unit for unit in range(units))
    (folder / 'main.cpp').write_text('%sint main(int c, char **v) { return (0%s) & 1; }\n' % (declared, called), encoding='utf-8')
    return sorted(folder.glob('*.cpp'))
