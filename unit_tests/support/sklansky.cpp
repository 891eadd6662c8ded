#include "support/sklansky.hpp"

namespace riffle::test {

template class TileTreeOracle<float>;
template class TileTreeOracle<double>;

}  // namespace riffle::test
