#include <iostream>
#include <string>

int main() {
    int number = 0;
    for (std::string line; std::getline(std::cin, line); ++number) {
        int last = /*@start*/212/*@*/, place = 0, code, c;
        for (std::size_t i = 0; i + 2 <= line.size(); i += 2, ++place) {
            code = std::stoi(line.substr(i, 2), nullptr, 16);
/*@undo*/            c = code;
            last = code;/*@*/
            std::cout << static_cast<char>(c & 255);
        }
        std::cout << '\n';
    }
}
