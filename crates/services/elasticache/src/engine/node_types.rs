//! Types of nodes, and the values of parameters that depend on them.

use crate::errors;
use nephos_core::{Result, nearest};

/// A type of nodes: its name, the memory of redis and valkey in bytes (`maxmemory`), the limit of the output
/// buffer of a replica in bytes, the memory of memcached in megabytes (`max_cache_memory`) and its number of
/// threads (`num_threads`). Values that are not known are 0.
type NodeType = (&'static str, u64, u64, u64, u64);

/// All types of nodes.
static NODE_TYPES: &[NodeType] = &[
    ("cache.c1.xlarge", 6_501_171_200, 650_117_120, 6600, 8),
    ("cache.c7gn.large", 3_317_862_236, 1_403_718_103, 3164, 2),
    ("cache.c7gn.xlarge", 6_854_542_746, 2_826_184_970, 6537, 4),
    ("cache.c7gn.2xlarge", 13_891_921_715, 5_671_118_356, 13_248, 8),
    ("cache.c7gn.4xlarge", 27_966_669_210, 11_360_986_522, 26_671, 16),
    ("cache.c7gn.8xlarge", 56_116_178_125, 22_500_037_523, 53_516, 32),
    ("cache.c7gn.12xlarge", 84_357_985_997, 34_120_634_655, 325_400, 48),
    ("cache.c7gn.16xlarge", 113_609_865_216, 45_000_075_046, 108_347, 64),
    ("cache.m1.small", 943_718_400, 94_371_840, 1301, 1),
    ("cache.m1.medium", 3_093_299_200, 309_329_920, 3350, 1),
    ("cache.m1.large", 7_025_459_200, 702_545_920, 7100, 2),
    ("cache.m1.xlarge", 14_889_779_200, 1_488_977_920, 14_600, 4),
    ("cache.m2.xlarge", 17_091_788_800, 1_709_178_880, 33_800, 2),
    ("cache.m2.2xlarge", 35_022_438_400, 3_502_243_840, 30_412, 4),
    ("cache.m2.4xlarge", 70_883_737_600, 7_088_373_760, 68_000, 16),
    ("cache.m3.medium", 2_988_441_600, 309_329_920, 2850, 1),
    ("cache.m3.large", 6_501_171_200, 650_117_120, 6200, 2),
    ("cache.m3.xlarge", 14_260_633_600, 1_426_063_360, 13_600, 4),
    ("cache.m3.2xlarge", 29_989_273_600, 2_998_927_360, 28_600, 8),
    ("cache.m4.large", 6_892_593_152, 689_259_315, 6573, 2),
    ("cache.m4.xlarge", 15_328_501_760, 1_532_850_176, 11_496, 4),
    ("cache.m4.2xlarge", 31_889_126_359, 3_188_912_636, 30_412, 8),
    ("cache.m4.4xlarge", 65_257_290_629, 6_525_729_063, 62_234, 16),
    ("cache.m4.10xlarge", 166_047_614_239, 16_604_761_424, 158_355, 40),
    ("cache.m5.large", 6_854_542_746, 685_454_275, 6537, 2),
    ("cache.m5.xlarge", 13_891_921_715, 1_389_192_172, 13_248, 4),
    ("cache.m5.2xlarge", 27_966_669_210, 2_796_666_921, 26_671, 8),
    ("cache.m5.4xlarge", 56_116_178_125, 5_611_617_812, 53_516, 16),
    ("cache.m5.12xlarge", 168_715_971_994, 16_871_597_199, 160_900, 48),
    ("cache.m5.24xlarge", 337_500_562_842, 33_750_056_284, 321_865, 96),
    ("cache.m6g.large", 6_854_542_746, 685_454_275, 6537, 2),
    ("cache.m6g.xlarge", 13_891_921_715, 1_389_192_172, 13_248, 4),
    ("cache.m6g.2xlarge", 27_966_669_210, 2_796_666_921, 26_671, 8),
    ("cache.m6g.4xlarge", 56_116_178_125, 5_611_617_812, 53_516, 16),
    ("cache.m6g.8xlarge", 111_325_552_312, 11_132_555_231, 107_000, 32),
    ("cache.m6g.12xlarge", 168_715_971_994, 16_871_597_199, 160_900, 48),
    ("cache.m6g.16xlarge", 225_000_375_228, 22_500_037_523, 214_577, 64),
    ("cache.m7g.large", 6_854_542_746, 685_454_275, 0, 0),
    ("cache.m7g.xlarge", 13_891_921_715, 1_389_192_172, 0, 0),
    ("cache.m7g.2xlarge", 27_966_669_210, 2_796_666_921, 0, 0),
    ("cache.m7g.4xlarge", 56_116_178_125, 5_611_617_812, 0, 0),
    ("cache.m7g.8xlarge", 111_325_552_312, 11_132_555_231, 0, 0),
    ("cache.m7g.12xlarge", 168_715_971_994, 16_871_597_199, 0, 0),
    ("cache.m7g.16xlarge", 225_000_375_228, 22_500_037_523, 0, 0),
    ("cache.r3.large", 14_470_348_800, 1_468_006_400, 13_800, 2),
    ("cache.r3.xlarge", 30_513_561_600, 3_040_870_400, 29_100, 4),
    ("cache.r3.2xlarge", 62_495_129_600, 6_081_740_800, 59_600, 8),
    ("cache.r3.4xlarge", 126_458_265_600, 12_268_339_200, 120_600, 16),
    ("cache.r3.8xlarge", 254_384_537_600, 24_536_678_400, 120_600, 32),
    ("cache.r4.large", 13_201_781_556, 1_320_178_155, 12_590, 2),
    ("cache.r4.xlarge", 26_898_228_839, 2_689_822_883, 25_652, 4),
    ("cache.r4.2xlarge", 54_197_537_997, 5_419_753_799, 51_686, 8),
    ("cache.r4.4xlarge", 108_858_546_586, 10_885_854_658, 103_815, 16),
    ("cache.r4.8xlarge", 218_255_432_090, 21_825_543_209, 208_144, 32),
    ("cache.r4.16xlarge", 437_021_573_120, 43_702_157_312, 416_776, 64),
    ("cache.r5.large", 14_037_181_030, 1_403_718_103, 13_387, 2),
    ("cache.r5.xlarge", 28_261_849_702, 2_826_184_970, 26_953, 4),
    ("cache.r5.2xlarge", 56_711_183_565, 5_671_118_356, 54_084, 8),
    ("cache.r5.4xlarge", 113_609_865_216, 11_360_986_522, 108_347, 16),
    ("cache.r5.12xlarge", 341_206_346_547, 34_120_634_655, 325_400, 48),
    ("cache.r5.24xlarge", 682_485_973_811, 68_248_597_381, 650_869, 96),
    ("cache.r6g.large", 14_037_181_030, 1_403_718_103, 13_387, 2),
    ("cache.r6g.xlarge", 28_261_849_702, 2_826_184_970, 26_953, 4),
    ("cache.r6g.2xlarge", 56_711_183_565, 5_671_118_356, 54_084, 8),
    ("cache.r6g.4xlarge", 113_609_865_216, 11_360_986_522, 108_347, 16),
    ("cache.r6g.8xlarge", 225_000_375_228, 22_500_037_523, 214_577, 32),
    ("cache.r6g.12xlarge", 341_206_346_547, 34_120_634_655, 325_400, 48),
    ("cache.r6g.16xlarge", 450_000_750_456, 45_000_075_046, 429_154, 64),
    ("cache.r6gd.xlarge", 28_261_849_702, 2_826_184_970, 0, 0),
    ("cache.r6gd.2xlarge", 56_711_183_565, 5_671_118_356, 0, 0),
    ("cache.r6gd.4xlarge", 113_609_865_216, 11_360_986_522, 0, 0),
    ("cache.r6gd.8xlarge", 225_000_375_228, 22_500_037_523, 0, 0),
    ("cache.r6gd.12xlarge", 341_206_346_547, 34_120_634_655, 0, 0),
    ("cache.r6gd.16xlarge", 450_000_750_456, 45_000_075_046, 0, 0),
    ("cache.r7g.large", 14_037_181_030, 1_403_718_103, 0, 0),
    ("cache.r7g.xlarge", 28_261_849_702, 2_826_184_970, 0, 0),
    ("cache.r7g.2xlarge", 56_711_183_565, 5_671_118_356, 0, 0),
    ("cache.r7g.4xlarge", 113_609_865_216, 11_360_986_522, 0, 0),
    ("cache.r7g.8xlarge", 225_000_375_228, 22_500_037_523, 0, 0),
    ("cache.r7g.12xlarge", 341_206_346_547, 34_120_634_655, 0, 0),
    ("cache.r7g.16xlarge", 450_000_750_456, 45_000_075_046, 0, 0),
    ("cache.t1.micro", 142_606_336, 14_260_633, 213, 1),
    ("cache.t2.micro", 581_959_680, 58_195_968, 555, 1),
    ("cache.t2.small", 1_665_138_688, 166_513_868, 1588, 1),
    ("cache.t2.medium", 3_461_349_376, 346_134_937, 3301, 2),
    ("cache.t3.micro", 536_870_912, 53_687_091, 512, 2),
    ("cache.t3.small", 1_471_026_299, 147_102_629, 1402, 2),
    ("cache.t3.medium", 3_317_862_236, 331_786_223, 3364, 2),
    ("cache.t4g.micro", 536_870_912, 53_687_091, 512, 2),
    ("cache.t4g.small", 1_471_026_299, 147_102_629, 1402, 2),
    ("cache.t4g.medium", 3_317_862_236, 331_786_223, 3164, 2),
];

/// Parameter whose value depends on the type of the nodes.
#[derive(Clone, Copy)]
pub(crate) enum NodeValue {
    /// Memory of redis and valkey in bytes.
    Memory,
    /// Limit of the output buffer of a replica in bytes.
    ReplicaBuffer,
    /// Memory of memcached in megabytes.
    CacheMemory,
    /// Number of threads of memcached.
    Threads,
}

/// Returns the names of the types of nodes, and the value of each where it is known.
pub(crate) fn values(of: NodeValue) -> impl Iterator<Item = (&'static str, u64)> {
    let value = move |&(name, memory, buffer, cache_memory, threads): &NodeType| match of {
        NodeValue::Memory => (name, memory),
        NodeValue::ReplicaBuffer => (name, buffer),
        NodeValue::CacheMemory => (name, cache_memory),
        NodeValue::Threads => (name, threads),
    };
    NODE_TYPES.iter().map(value).filter(|(_, value)| *value > 0)
}

/// Refuses an unknown type of nodes; `field` is the parameter with the name.
pub fn check(name: &str, field: &str) -> Result<()> {
    if NODE_TYPES.iter().any(|(known, ..)| *known == name) {
        return Ok(());
    }
    let hint = nearest::hint(name, NODE_TYPES.iter().map(|(known, ..)| *known));
    Err(errors::node_type_unknown(name).with_field(field).with_hint(hint))
}
