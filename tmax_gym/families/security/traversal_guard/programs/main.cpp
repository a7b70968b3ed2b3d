#include <algorithm>
#include <cctype>
#include <iostream>
#include <iterator>
#include <string>

int main() {
    std::string name{std::istreambuf_iterator<char>(std::cin), {}};
    if (!name.empty() && name.back() == '\n') name.pop_back();
    for (bool again = true; again;) {
        std::string decoded;
        for (std::size_t i = 0; i < name.size(); ++i)
            if (name[i] == '%' && i + 2 < name.size() && std::isxdigit((unsigned char)name[i + 1])
                && std::isxdigit((unsigned char)name[i + 2])) {
                decoded += static_cast<char>(std::stoi(name.substr(i + 1, 2), nullptr, 16));
                i += 2;
            } else decoded += name[i];
        again = decoded != name;
        name = decoded;
    }
    for (char &c : name) {
        if (std::iscntrl((unsigned char)c)) return 1;
        if (c == '\\') c = '/';
    }
    if (!name.empty() && name[0] == '/') return 1;
    int depth = 0;
    for (std::size_t i = 0, j; i <= name.size(); i = j + 1) {
        j = std::min(name.find('/', i), name.size());
        std::string part = name.substr(i, j - i);
        if (part == "..") --depth;
        else if (!part.empty() && part != ".") ++depth;
        if (depth < 0) return 1;
    }
    return depth > 0 ? 0 : 1;
}
